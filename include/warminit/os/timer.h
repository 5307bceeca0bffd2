#pragma once

#include <chrono>
#include <functional>

#include "warminit/os/event_loop.h"
#include "warminit/os/fd.h"

namespace warminit::os {

/// A one-shot timer of an event loop. Costs no wake-up while it is not set.
class Timer {
 public:
  /// `loop` must outlive the timer.
  Timer(EventLoop& loop, std::function<void()> expired);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Expires `delay` from now, once; an earlier setting is forgotten. Zero expires at once.
  void set(std::chrono::nanoseconds delay);
  void cancel();

 private:
  EventLoop& loop_;
  Fd fd_;
};

}  // namespace warminit::os
