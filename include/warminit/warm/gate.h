#pragma once

#include "warminit/warm/state.h"

namespace warminit::warm {

/// How many GPUs the command needs before it may start.
enum class Requirement { none, any, all };

/// What to do with a command that is held back.
enum class Verdict { wait, go, refuse };

/// Whether the command may start now. `time_over`: it has been held back for as long as it may be.
///
/// Requirement::none never refuses: after the wait the command starts, whatever came of the GPUs.
Verdict judge(const State& state, Requirement requirement, bool time_over);

}  // namespace warminit::warm
