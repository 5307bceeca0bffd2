#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace warminit::init {

/// The one place that calls waitpid: reaps our own children and every orphan that becomes ours.
///
/// Because nobody else reaps, a pid that we expect and have not been told about is still that
/// process, if only as a zombie: sending it a signal by number cannot hit a stranger.
class Reaper {
 public:
  /// Gets the wait status of a child that has ended, once. It may expect new children.
  using Handler = std::function<void(int status)>;
  /// Gets the signal that has stopped a child.
  using StopHandler = std::function<void(int signal)>;
  /// Gets an orphan's pid and wait status.
  using OrphanHandler = std::function<void(pid_t pid, int status)>;

  void expect(pid_t pid, Handler ended, StopHandler stopped = {}) {
    expected_[pid] = {std::move(ended), std::move(stopped)};
  }
  void on_orphan(OrphanHandler handler) { orphan_reaped_ = std::move(handler); }

  /// Reaps every child that has ended by now; returns how many there were.
  int reap();

  /// Whether there is any child now, running or ended. Reaps none.
  [[nodiscard]] static bool has_children();

  /// Whether the last reap() found no child at all, neither running nor ended.
  [[nodiscard]] bool alone() const noexcept { return alone_; }
  [[nodiscard]] std::uint64_t orphans_reaped() const noexcept { return orphans_reaped_; }

 private:
  struct Handlers {
    Handler ended;
    StopHandler stopped;
  };

  void on_stopped(pid_t pid, int signal);

  std::map<pid_t, Handlers> expected_;
  OrphanHandler orphan_reaped_;
  std::uint64_t orphans_reaped_ = 0;
  bool alone_ = true;
};

/// The exit code that a shell gives for `status`: the program's own, or 128 + n for signal n.
int exit_code(int status);

/// "exit code 3", "signal SIGSEGV (core dumped)".
std::string describe_status(int status);

}  // namespace warminit::init
