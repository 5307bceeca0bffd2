#pragma once

#include "warminit/doctor/finding.h"
#include "warminit/doctor/machine.h"

namespace warminit::doctor {

/// All that is found on `machine`, worst first.
///
/// Cost: what the driver takes to start, twice where CUDA_VISIBLE_DEVICES is set.
Findings examine(const Machine& machine);

/// The exit code: 0 for nothing worse than a note, 1 for a warning, 2 for an error.
int exit_code(const Findings& findings);

}  // namespace warminit::doctor
