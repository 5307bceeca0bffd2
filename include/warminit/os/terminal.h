#pragma once

#include <sys/types.h>

namespace warminit::os {

/// Everything here is about the terminal on stdin. No terminal: no matter. SIGTTOU must be blocked.

/// Whether stdin is a terminal and we stand in its foreground, so that we may give it away.
bool owns_terminal();

/// Makes process group `group` the foreground.
void give_terminal(pid_t group);

/// Makes our own process group the foreground again, if `group` or nobody has been it: what
/// another job has taken meanwhile stays its own.
void take_terminal_back(pid_t group);

/// Whether the foreground has no process any more.
bool terminal_is_orphaned();

/// Gives up the terminal as our controlling one, so that a new session can have it. The SIGHUP and
/// SIGCONT that the kernel sends to us for it are taken out of what is pending.
void detach_terminal();

/// Stops our own process group as the terminal does with `signal` (SIGTSTP, SIGTTIN, SIGTTOU).
///
/// Returns true once somebody has continued it; that SIGCONT is pending then. False at once where
/// the kernel does not stop it, because nobody could continue it: we are PID 1, or our group has no
/// shell above it (an orphaned process group, POSIX), or the signal is ignored.
bool stop_ourselves(int signal);

}  // namespace warminit::os
