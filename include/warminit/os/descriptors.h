#pragma once

#include <string>

namespace warminit::os {

/// The path of the file behind `link`, an entry of /proc/PID/fd; of one that has gone, where it
/// was. Empty where that cannot be read. The file itself is not touched: its server may be gone.
std::string path_behind(const std::string& link);

/// Makes every descriptor from `first` on close at the next exec.
void close_on_exec_from(int first);

/// Closes what we were started with beyond the standard descriptors: every descriptor that is open
/// across exec, because our own never are. Once the command has them, nobody may wait for us to
/// let them go (a pipe's reader waits for the last writer).
void close_inherited();

/// Puts /dev/null in the place of stdin, unless that is a terminal, and of stdout, for the same
/// reason. Where there is no /dev/null they stay.
void release_standard_streams();

}  // namespace warminit::os
