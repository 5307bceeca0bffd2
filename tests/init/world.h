#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "warminit/init/reaper.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/signals.h"

namespace warminit::test {

/// What surrounds a part of PID 1: blocked signals, a loop that reaps, and orphans that come to it.
/// For the body of in_child(); the log is off.
class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();  ///< Kills whatever is left.

  os::EventLoop loop;
  init::Reaper reaper;
  std::function<void()> on_reaped = [] {};  ///< Called after each reap().

  /// A child that runs `body` with the signal mask of a fresh program.
  [[nodiscard]] pid_t child(const std::function<void()>& body) const;

  /// The same, and the loop stops when it ends; its status is then in `status`.
  pid_t watched_child(const std::function<void()>& body);
  std::optional<int> status;

 private:
  os::SignalState inherited_;
  os::SignalFd signals_;
};

/// Waits until a signal ends this process.
[[noreturn]] void wait_for_signal();

}  // namespace warminit::test
