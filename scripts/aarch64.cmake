# Debian's cross compiler for 64-bit Arm (package g++-aarch64-linux-gnu). Our libraries are headers
# only, so that those of the build machine serve.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
file(GLOB _config_folders /usr/lib/*-linux-gnu/cmake)
list(APPEND CMAKE_PREFIX_PATH ${_config_folders} /usr/share)
