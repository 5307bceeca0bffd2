#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "warminit/os/fd.h"

namespace warminit::os {

/// Waits for many descriptors in one thread and calls the handler of each that is ready.
///
/// Level-triggered. A handler may watch and unwatch anything, itself too, and may stop the loop.
class EventLoop {
 public:
  using Handler = std::function<void(std::uint32_t events)>;

  EventLoop();

  /// Calls `handler` whenever `fd` has one of `events` (EPOLLIN, …). `fd` must outlive the watch.
  void watch(int fd, std::uint32_t events, Handler handler);
  /// Waits for other events of a descriptor that is watched; 0: none but its end.
  void change(int fd, std::uint32_t events);
  void unwatch(int fd);

  /// Dispatches until stop(). The loop makes no wake-up of its own. What a handler throws comes out
  /// of here; run() may then be called again.
  void run();
  void stop() { stopped_ = true; }

  /// Readable while step() has something to do: so that one loop can be part of another, where a
  /// crowd of descriptors then gets one turn at a time.
  [[nodiscard]] int fd() const noexcept { return epoll_.get(); }
  /// Dispatches one event, if there is one.
  void step();

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  void dispatch(int fd, std::uint32_t events);

  Fd epoll_;
  std::map<int, std::shared_ptr<Handler>> handlers_;
  bool stopped_ = false;
};

}  // namespace warminit::os
