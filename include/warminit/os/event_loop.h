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
  void unwatch(int fd);

  /// Dispatches until stop(). The loop makes no wake-up of its own. What a handler throws comes out
  /// of here; run() may then be called again.
  void run();
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  Fd epoll_;
  std::map<int, std::shared_ptr<Handler>> handlers_;
  bool stopped_ = false;
};

}  // namespace warminit::os
