#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

#include "warminit/os/fd.h"

namespace warminit::os {

/// What a process inherits about signals: a program that we start gets back what we were given.
struct SignalState {
  sigset_t mask{};
  bool child_ignored = false;  ///< SIGCHLD was SIG_IGN, under which nobody can be waited for.
};

/// Blocks every signal and makes sure that children can be waited for; returns how it was before.
///
/// Call it first thing in main: a signal that comes from then on is kept, not lost. Blocking the
/// fault signals is safe: the kernel delivers a real fault all the same.
SignalState block_all_signals();

/// Puts `state` back; in a child between fork and exec, or before a verb that is no init.
void restore_signals(const SignalState& state);

/// One signal as it arrived.
struct Signal {
  int number = 0;
  pid_t sender = 0;          ///< 0 where the kernel sent it or the sender is outside our namespace.
  bool from_kernel = false;  ///< A terminal's Ctrl-C, a hang-up; not another process.
  bool queued = false;       ///< Sent by sigqueue, with `value`.
  sigval value{};
};

/// Reads the blocked signals of this process as data. Non-blocking.
class SignalFd {
 public:
  SignalFd();
  [[nodiscard]] int get() const noexcept { return fd_.get(); }

  /// The next signal that waits, if any.
  std::optional<Signal> next();

 private:
  Fd fd_;
};

/// The signal that `text` names: "SIGTERM", "TERM", "15", "RTMIN+3", "SIGRTMAX-1". Nothing for
/// anything else.
std::optional<int> parse_signal(std::string_view text);

/// Whether this process ignores `number`. For all but SIGCHLD it is what we were started with.
bool is_ignored(int number);

/// "SIGTERM", "SIGRTMIN+3"; "signal 99" for a number without a name.
std::string signal_name(int number);

}  // namespace warminit::os
