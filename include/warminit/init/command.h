#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warminit/init/reaper.h"
#include "warminit/os/signals.h"
#include "warminit/os/spawn.h"

namespace warminit::init {

/// Who gets a forwarded signal.
enum class SignalTarget { command, group };

/// COMMAND, the main child: started once, and told every signal that reaches us.
///
/// Signals that arrive before it runs are kept in their order and delivered when it starts.
class Command {
 public:
  struct Options {
    std::vector<std::string> argv;
    os::SignalState signals;  ///< What it gets back: the mask and dispositions given to us.
    SignalTarget target = SignalTarget::command;
    bool own_session = false;     ///< A session of its own, not only a process group.
    std::map<int, int> rewrites;  ///< Signals that are forwarded as another; as 0: not at all.
    std::map<std::string, std::string> environment;  ///< On top of ours.
  };

  explicit Command(Options options);

  /// Starts it; `ended` gets its exit code once. Takes the terminal along if we own it.
  ///
  /// Errors: os::ExecError where it cannot be executed, std::system_error where no process could
  /// be made.
  void start(Reaper& reaper, std::function<void(int code)> ended);

  /// Passes `signal` on, now or at start(), as what it is rewritten to.
  void forward(os::Signal signal);

  /// Makes our own process group the terminal's foreground again, after the command's end.
  void hand_back_terminal() const;

  [[nodiscard]] std::optional<pid_t> pid() const noexcept { return pid_; }
  /// The process group that it has led, also after its end; 0 where that is ours.
  [[nodiscard]] pid_t group() const noexcept { return group_; }
  [[nodiscard]] std::uint64_t signals_forwarded() const noexcept { return signals_forwarded_; }

 private:
  os::Place choose_place() const;
  void send(const os::Signal& signal);
  int deliver(const os::Signal& signal);
  /// The command has been stopped by `signal`.
  void on_stopped(int signal);
  void take_to_foreground();

  Options options_;
  std::optional<pid_t> pid_;
  pid_t group_ = 0;
  bool has_terminal_ = false;   ///< We have given it the terminal.
  bool group_stopped_ = false;  ///< By the terminal.
  bool asked_to_stop_ = false;  ///< The last that it was sent of stop and continue was a stop.
  std::vector<os::Signal> waiting_;
  std::uint64_t signals_forwarded_ = 0;
};

}  // namespace warminit::init
