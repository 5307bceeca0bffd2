#pragma once

#include <sys/types.h>

#include <string>

namespace warminit::init {

/// Sends `signal` to everything below us: as PID 1 of a PID namespace to every process there,
/// elsewhere only to our own descendants, because kill(-1) would end the whole host.
///
/// Where /proc is missing, descendants cannot be found: then to the process group `group` (0: to
/// nobody).
void signal_everyone(int signal, pid_t group);

/// "'sleep' (pid 12), 'sh' (pid 13) and 4 more": what is below us now, for people.
std::string name_everyone();

}  // namespace warminit::init
