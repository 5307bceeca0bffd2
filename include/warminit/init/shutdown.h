#pragma once

#include <chrono>
#include <optional>

#include "warminit/init/reaper.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/timer.h"

namespace warminit::init {

/// The end of a container: SIGTERM to what is left, a grace period, SIGKILL, and the loop stops.
///
/// As PID 1 of a PID namespace it reaches every process there; elsewhere only our own
/// descendants, because kill(-1) would end the whole host. It waits for those that it can reap,
/// not for processes that somebody else put into the namespace (`docker exec`).
class Shutdown {
 public:
  Shutdown(os::EventLoop& loop, const Reaper& reaper, std::chrono::milliseconds grace);

  /// Starts the end, whose exit code will be `code`. A second call changes nothing.
  void begin(int code);

  /// To be called after each reap(): stops the loop once nobody is left.
  void on_reaped();

  [[nodiscard]] bool begun() const noexcept { return code_.has_value(); }
  [[nodiscard]] int code() const noexcept { return code_.value_or(0); }

 private:
  void on_grace_over();

  os::EventLoop& loop_;
  const Reaper& reaper_;
  std::chrono::milliseconds grace_;
  os::Timer timer_;
  std::optional<int> code_;
  bool killed_ = false;
};

}  // namespace warminit::init
