#pragma once

#include <string>

#include "warminit/cuda/abi.h"
#include "warminit/cuda/result.h"

/// Every driver function we call, and the symbol that libcuda exports for the ABI we declare.
/// Adding a function is adding a line here and its type in cuda/abi.h.
#define WARMINIT_CUDA_FUNCTIONS(X)                               \
  X(cuInit, "cuInit")                                            \
  X(cuDriverGetVersion, "cuDriverGetVersion")                    \
  X(cuGetErrorName, "cuGetErrorName")                            \
  X(cuGetErrorString, "cuGetErrorString")                        \
  X(cuDeviceGetCount, "cuDeviceGetCount")                        \
  X(cuDeviceGet, "cuDeviceGet")                                  \
  X(cuDeviceGetName, "cuDeviceGetName")                          \
  X(cuDeviceGetUuid, "cuDeviceGetUuid")                          \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2")                     \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute")                \
  X(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId")                  \
  X(cuDevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2") \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")        \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")   \
  X(cuCtxSetCurrent, "cuCtxSetCurrent")                          \
  X(cuCtxSetLimit, "cuCtxSetLimit")                              \
  X(cuCtxSynchronize, "cuCtxSynchronize")                        \
  X(cuModuleLoadData, "cuModuleLoadData")                        \
  X(cuModuleUnload, "cuModuleUnload")                            \
  X(cuModuleGetFunction, "cuModuleGetFunction")                  \
  X(cuLaunchKernel, "cuLaunchKernel")                            \
  X(cuMemAlloc, "cuMemAlloc_v2")                                 \
  X(cuMemFree, "cuMemFree_v2")                                   \
  X(cuMemGetInfo, "cuMemGetInfo_v2")                             \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2")

/// Functions that not every supported driver has: null where it lacks them.
/// cuDeviceGetUuid_v2 (CUDA 11.4) answers with the UUID of the MIG instance, the first version
/// with that of the GPU it was cut from.
#define WARMINIT_CUDA_OPTIONAL_FUNCTIONS(X) X(cuDeviceGetUuid_v2, "cuDeviceGetUuid_v2")

namespace warminit::cuda {

namespace abi {
using cuDeviceGetUuid_v2_t = cuDeviceGetUuid_t;
}  // namespace abi

/// The SONAME that every driver since CUDA 1.0 has. Never "libcuda.so": that name is also the
/// toolkit's stub.
inline constexpr const char* kDefaultLibrary = "libcuda.so.1";

/// The CUDA driver of this process, loaded at run time.
///
/// Never unloaded: libcuda starts threads, and code they run must stay mapped. Copies are cheap
/// and equal. Any thread may use it; contexts are current per thread.
struct Driver {
#define WARMINIT_POINTER(function, symbol) abi::function##_t* function = nullptr;
  WARMINIT_CUDA_FUNCTIONS(WARMINIT_POINTER)
  WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_POINTER)
#undef WARMINIT_POINTER
  std::string path;        ///< The file that was loaded, as the dynamic loader resolved it.
  bool simulated = false;  ///< It is our simulated driver: its times and devices are made up.

  /// Loads `library` and finds every function above. Does not call cuInit.
  ///
  /// Errors: CUDA_ERROR_SHARED_OBJECT_INIT_FAILED with the loader's reason;
  /// CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND with the list of all that is missing;
  /// CUDA_ERROR_STUB_LIBRARY where `library` is the toolkit's stub.
  static Result<Driver> load(const std::string& library);

  /// "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
  Error error(const char* call, abi::CUresult code) const;

  /// Done, or the Error of `call`.
  Result<Done> check(const char* call, abi::CUresult code) const;
};

}  // namespace warminit::cuda
