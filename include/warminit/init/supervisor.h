#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>

#include "warminit/init/reaper.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/timer.h"

namespace warminit::init {

/// When to start a helper process again after it died.
struct RestartPolicy {
  std::chrono::milliseconds delay{1000};       ///< Before the first restart; doubles each time.
  std::chrono::milliseconds delay_max{60000};  ///< Where the doubling ends.
  int limit = 10;                              ///< Restarts in a row; 0: never again.
};

/// Keeps one helper process of PID 1 alive, and never waits for it.
///
/// A helper that has succeeded and then run for longer than `delay_max` starts with a clean record.
class Supervisor {
 public:
  /// What became of the helper: how it ended, and when it will be started again, if it will.
  struct Ending {
    int status = 0;  ///< As waitpid gives it.
    std::optional<std::chrono::milliseconds> restart_in;
  };
  struct Hooks {
    std::function<pid_t()> start;          ///< Makes the process; may throw std::system_error.
    std::function<bool(int)> restartable;  ///< Whether this wait status is worth another try.
    std::function<void(const Ending&)> ended;
  };

  Supervisor(os::EventLoop& loop, Reaper& reaper, RestartPolicy policy, Hooks hooks);

  /// Starts the helper now. If no process can be made, tries again as if it had died at once.
  void start();

  /// The helper has done what it is for.
  void succeeded() { succeeded_ = true; }

  /// From here on the helper's end is final.
  void retire();

  /// Takes a retirement back and starts the helper anew, with a clean record. It must not run.
  void revive();
  [[nodiscard]] bool retired() const noexcept { return retired_; }

  /// Sends it `signal` if it runs.
  void kill(int signal) const;

  [[nodiscard]] std::optional<pid_t> pid() const noexcept { return pid_; }

 private:
  void on_end(int status);
  std::optional<std::chrono::milliseconds> next_delay();

  Reaper& reaper_;
  RestartPolicy policy_;
  Hooks hooks_;
  os::Timer restart_timer_;
  std::optional<pid_t> pid_;
  std::chrono::steady_clock::time_point started_;
  int failures_in_row_ = 0;
  bool succeeded_ = false;  ///< The one that runs now.
  bool retired_ = false;
};

}  // namespace warminit::init
