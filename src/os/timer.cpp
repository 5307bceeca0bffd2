#include "warminit/os/timer.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warminit::os {
namespace {

/// Time to expiry; all zero disarms.
void arm(int fd, std::chrono::nanoseconds delay) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(delay);
  itimerspec spec{};
  spec.it_value.tv_sec = seconds.count();
  spec.it_value.tv_nsec = (delay - seconds).count();
  check(::timerfd_settime(fd, 0, &spec, nullptr), "timerfd_settime");
}

}  // namespace

Timer::Timer(EventLoop& loop, std::function<void()> expired)
    : loop_(loop),
      fd_(check(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")) {
  loop_.watch(fd_.get(), EPOLLIN, [this, expired = std::move(expired)](std::uint32_t) {
    std::uint64_t expirations = 0;
    if (::read(fd_.get(), &expirations, sizeof expirations) == sizeof expirations) expired();
  });
}

Timer::~Timer() { loop_.unwatch(fd_.get()); }

void Timer::set(std::chrono::nanoseconds delay) {
  arm(fd_.get(), std::max(delay, std::chrono::nanoseconds(1)));
}

void Timer::cancel() { arm(fd_.get(), std::chrono::nanoseconds::zero()); }

}  // namespace warminit::os
