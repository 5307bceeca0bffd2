#include "warminit/os/event_loop.h"

#include <sys/epoll.h>

#include <array>

namespace warminit::os {

EventLoop::EventLoop() : epoll_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {}

void EventLoop::watch(int fd, std::uint32_t events, Handler handler) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  check(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  handlers_[fd] = std::make_shared<Handler>(std::move(handler));
}

void EventLoop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  check(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event), "epoll_ctl");
}

void EventLoop::unwatch(int fd) {
  if (handlers_.erase(fd) == 0) return;
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);  // Fails only if already gone.
}

void EventLoop::run() {
  std::array<epoll_event, 16> ready;
  while (!stopped_) {
    const int n = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), -1);
    if (n < 0 && errno == EINTR) continue;
    check(n, "epoll_wait");
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) && !stopped_; ++i)
      dispatch(ready[i].data.fd, ready[i].events);
  }
}

void EventLoop::step() {
  epoll_event ready{};
  if (::epoll_wait(epoll_.get(), &ready, 1, 0) == 1) dispatch(ready.data.fd, ready.events);
}

void EventLoop::dispatch(int fd, std::uint32_t events) {
  const auto it = handlers_.find(fd);
  if (it == handlers_.end()) return;  // Unwatched by an earlier handler of this batch.
  const auto handler = it->second;    // Keeps it alive if it unwatches itself.
  (*handler)(events);
}

}  // namespace warminit::os
