#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace warminit::os {

/// Returns `ret`, or throws std::system_error with errno if it is negative.
template <typename Int>
Int check(Int ret, const char* call) {
  if (ret < 0) throw std::system_error(errno, std::generic_category(), call);
  return ret;
}

/// Owns one file descriptor: never copied, closed exactly once.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);  // Never retried: Linux frees the number even on EINTR.
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// For a library that closes the descriptor itself.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace warminit::os
