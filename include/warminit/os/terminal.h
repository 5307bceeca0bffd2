#pragma once

#include <unistd.h>

namespace warminit::os {

/// Whether stdin is a terminal and we stand in its foreground, so that we may give it away.
inline bool owns_terminal() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

/// Makes our own process group the foreground of the terminal on stdin again. SIGTTOU must be
/// blocked. No terminal: no matter.
inline void take_terminal() { (void)::tcsetpgrp(STDIN_FILENO, ::getpgrp()); }

}  // namespace warminit::os
