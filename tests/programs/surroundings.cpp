// test_surroundings: prints what a program inherits, a line each: its signal mask and ignored
// signals, whether it leads a process group and a session, its open descriptors.

#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
  if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr)
      if (std::strncmp(line, "SigBlk", 6) == 0 || std::strncmp(line, "SigIgn", 6) == 0)
        std::fputs(line, stdout);
    std::fclose(status);
  }
  std::printf("group leader %d\n", ::getpgrp() == ::getpid());
  std::printf("session leader %d\n", ::getsid(0) == ::getpid());
  std::printf("foreground %d\n", ::tcgetpgrp(STDIN_FILENO) == ::getpgrp());
  std::printf("descriptors");
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (const dirent* entry = ::readdir(folder))
      if (entry->d_name[0] != '.' && std::strtol(entry->d_name, nullptr, 10) != ::dirfd(folder))
        std::printf(" %s", entry->d_name);
    ::closedir(folder);
  }
  std::printf("\n");
  return 0;
}
