#include "warminit/os/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <string_view>
#include <vector>

#include "warminit/os/fd.h"
#include "warminit/os/number.h"

namespace warminit::os {
namespace {

/// Without /proc descriptors are looked for by number, and not for ever.
constexpr rlim_t kMostProbed = 65536;

/// What may be open from `first` on: what is, where /proc tells.
std::vector<int> candidates(int first) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  if (folder) {
    while (const dirent* entry = ::readdir(folder.get())) {
      const auto fd = to_number(entry->d_name);
      if (fd && *fd >= first && *fd != ::dirfd(folder.get())) numbers.push_back(*fd);
    }
    return numbers;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = kMostProbed;
  const int end = static_cast<int>(std::min(limit.rlim_cur, kMostProbed));
  for (int fd = first; fd < end; ++fd) numbers.push_back(fd);
  return numbers;
}

}  // namespace

std::string path_behind(const std::string& link) {
  std::array<char, PATH_MAX> text{};
  const ssize_t n = ::readlink(link.c_str(), text.data(), text.size());
  std::string path(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  constexpr std::string_view kGone = " (deleted)";
  if (path.ends_with(kGone)) path.resize(path.size() - kGone.size());
  return path;
}

void close_on_exec_from(int first) {
  constexpr unsigned kCloseRangeCloexec = 4;  // CLOSE_RANGE_CLOEXEC; absent from older headers.
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, kCloseRangeCloexec) == 0)
    return;
  // Before Linux 5.11, or where a seccomp profile does not know the call.
  for (const int fd : candidates(first)) (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void close_inherited() {
  for (const int fd : candidates(STDERR_FILENO + 1)) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) (void)::close(fd);
  }
}

void release_standard_streams() {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return;
  if (::isatty(STDIN_FILENO) == 0) (void)::dup2(null.get(), STDIN_FILENO);
  (void)::dup2(null.get(), STDOUT_FILENO);
}

}  // namespace warminit::os
