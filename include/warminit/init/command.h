#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warminit/init/reaper.h"
#include "warminit/os/signals.h"

namespace warminit::init {

/// COMMAND, the main child: started once, and told every signal that reaches us.
///
/// Signals that arrive before it runs are kept in their order and delivered when it starts.
class Command {
 public:
  struct Options {
    std::vector<std::string> argv;
    os::SignalState signals;    ///< What it gets back: the mask and dispositions given to us.
    bool signal_group = false;  ///< Forward to its whole process group.
  };

  explicit Command(Options options) : options_(std::move(options)) {}

  /// Starts it; `ended` gets its exit code once. Takes the terminal along if we own it.
  ///
  /// Errors: os::ExecError where it cannot be executed, std::system_error where no process could
  /// be made.
  void start(Reaper& reaper, std::function<void(int code)> ended);

  /// Passes `signal` on, now or at start().
  void forward(const os::Signal& signal);

  [[nodiscard]] std::optional<pid_t> pid() const noexcept { return pid_; }
  [[nodiscard]] bool has_terminal() const noexcept { return has_terminal_; }
  [[nodiscard]] std::uint64_t signals_forwarded() const noexcept { return signals_forwarded_; }

 private:
  void send(const os::Signal& signal);

  Options options_;
  std::optional<pid_t> pid_;
  bool has_terminal_ = false;
  std::vector<os::Signal> waiting_;
  std::uint64_t signals_forwarded_ = 0;
};

/// 126 for a file that cannot be executed, 127 for one that is not there (env(1), POSIX sh).
int exec_error_code(int error);

/// "'servr': not found in PATH", with what to do about it.
std::string explain_exec_error(const std::string& name, const std::string& file, int error);

}  // namespace warminit::init
