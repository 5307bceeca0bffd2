#pragma once

#include "warminit/cli/options.h"

namespace warminit::cli {

/// Prints what the driver shows here, as a table or as JSON. Loads the driver into this process.
///
/// Returns 0; 1 where the driver shows no device, with the cause and the remedy on stderr.
int run_devices(const Options& options);

}  // namespace warminit::cli
