#include "file_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace warminit::simcuda {
namespace {

/// The open locks of this process as fd + 1, 0 where a place is free. More than one per device.
std::array<std::atomic<int>, 72> open_locks;

/// Runs in a forked child, before anything else does.
void close_in_child() {
  for (std::atomic<int>& lock : open_locks) {
    const int fd = lock.exchange(0) - 1;
    if (fd >= 0) ::close(fd);
  }
}

void replace(int from, int to) {
  for (std::atomic<int>& lock : open_locks) {
    int expected = from;
    if (lock.compare_exchange_strong(expected, to)) return;
  }
}

constexpr int kOpenFlags = O_RDWR | O_CREAT | O_CLOEXEC;
constexpr mode_t kReadWriteByAll = 0666;

}  // namespace

std::unique_ptr<FileLock> FileLock::open(const std::string& path) {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, close_in_child);
  const int fd = ::open(path.c_str(), kOpenFlags, kReadWriteByAll);
  if (fd < 0) return nullptr;
  return std::unique_ptr<FileLock>(new FileLock(fd));
}

FileLock::FileLock(int fd) : fd_(fd) { replace(0, fd + 1); }

FileLock::~FileLock() {
  replace(fd_ + 1, 0);
  ::close(fd_);
}

bool FileLock::try_exclusive() const { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }

void FileLock::share() const {
  while (::flock(fd_, LOCK_SH) != 0 && errno == EINTR) {
  }
}

unsigned long count_in_file(const std::string& path) {
  const int fd = ::open(path.c_str(), kOpenFlags | O_APPEND, kReadWriteByAll);
  if (fd < 0) return 0;
  // The position after an appending write is the end of what this very write appended.
  const bool written = ::write(fd, ".", 1) == 1;
  const off_t size = written ? ::lseek(fd, 0, SEEK_CUR) : 0;
  ::close(fd);
  return size < 0 ? 0 : static_cast<unsigned long>(size);
}

}  // namespace warminit::simcuda
