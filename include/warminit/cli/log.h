#pragma once

#include <string>

#include "warminit/cli/options.h"

namespace warminit::cli {

/// Sends the log to stderr, one line per event. Synchronous, for PID 1 has one thread, and never
/// waiting: a line that stderr does not take now is dropped and counted.
void configure_log(const std::string& level, LogFormat format);

}  // namespace warminit::cli
