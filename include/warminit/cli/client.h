#pragma once

#include "warminit/cli/options.h"

namespace warminit::cli {

/// Exit codes of the verbs that ask: status, wait, release, acquire.
enum ClientCode : int { kYes = 0, kNo = 1, kCannotTell = 2 };

/// Asks the init of this container what `options` say, prints the answer, and returns a ClientCode.
int run_client(const Options& options);

}  // namespace warminit::cli
