#pragma once

#include "warminit/cli/options.h"
#include "warminit/os/signals.h"

namespace warminit::cli {

/// Runs as init until COMMAND has ended (verb `run`) or a signal says so (verb `hold`).
///
/// Every signal must be blocked; `inherited` is how it was before, and what COMMAND gets.
/// Returns the exit code of the contract (README, "Contract").
int run_entrypoint(const Options& options, const os::SignalState& inherited);

}  // namespace warminit::cli
