#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "warminit/init/reaper.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/timer.h"

namespace warminit::init {

/// The end of a container: SIGTERM to what is left, a grace period, SIGKILL, and the loop stops.
///
/// Whom it reaches is said at signal_everyone(). It waits for those that it can reap,
/// not for processes that somebody else put into the namespace (`docker exec`).
class Shutdown {
 public:
  Shutdown(os::EventLoop& loop, const Reaper& reaper, std::chrono::milliseconds grace);

  /// Starts the end, whose exit code will be `code`. A second call changes nothing. `group`: the
  /// command's process group, all that can be reached where /proc is missing.
  void begin(int code, pid_t group = 0);

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
  pid_t group_ = 0;
  bool killed_ = false;
};

}  // namespace warminit::init
