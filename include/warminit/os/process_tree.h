#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace warminit::os {

/// All processes below `ancestor` that can be seen now, in no order; zombies are left out.
///
/// Nothing where /proc is not mounted. A process may end, and its pid be given to another, after
/// this returns: use it at once.
/// Source: proc(5), /proc/PID/stat, fields 3 (state) and 4 (ppid).
std::optional<std::vector<pid_t>> descendants(pid_t ancestor);

/// The command name of `pid`, as ps shows it; "?" where it is gone.
std::string process_name(pid_t pid);

}  // namespace warminit::os
