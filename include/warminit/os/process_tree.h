#pragma once

#include <sys/types.h>

#include <vector>

namespace warminit::os {

/// All processes below `ancestor` that can be seen now, in no order; zombies are left out.
///
/// Empty where /proc is not mounted. A process may end, and its pid be given to another, after
/// this returns: use it at once.
/// Source: proc(5), /proc/PID/stat, fields 3 (state) and 4 (ppid).
std::vector<pid_t> descendants(pid_t ancestor);

}  // namespace warminit::os
