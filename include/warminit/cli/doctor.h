#pragma once

#include "warminit/cli/options.h"
#include "warminit/os/signals.h"

namespace warminit::cli {

/// Prints what keeps GPUs from working or from being fast here, as text or as JSON.
///
/// Returns 0 for nothing worse than a note, 1 for a warning, 2 for an error. `inherited` is what
/// the process that asks the driver starts with.
int run_doctor(const Options& options, const os::SignalState& inherited);

}  // namespace warminit::cli
