#pragma once

#include <string>
#include <string_view>

#include "warminit/init/command.h"

namespace warminit::cli {

/// The exit codes for what goes wrong before COMMAND runs.
struct StartCodes {
  int cannot_start = 125;  ///< Also for bad options.
  int not_executable = 126;
  int not_found = 127;
};

/// The init whose name we were started by, and how it behaves where no option says otherwise.
///
/// Source: what Debian's tini 0.19.0, dumb-init 1.2.5 and catatonit 0.1.7 do when run.
struct Personality {
  std::string_view name = "warminit";
  bool needs_dashes = true;  ///< COMMAND begins after "--" only; else at the first non-option too.
  init::SignalTarget target = init::SignalTarget::command;
  bool own_session = false;
  StartCodes codes;
  int verbosity = 2;         ///< 0 error, 1 warn, 2 info, 3 debug.
  std::string_view version;  ///< What stands before our version for --version.
};

/// The personality for the name in `argv0`: "/sbin/docker-init", "tini-static", "dumb-init", …
const Personality& personality_of(std::string_view argv0);

/// The line for --version. Docker reads the one of its init: it must begin with "tini version".
std::string version_text(const Personality& personality);

}  // namespace warminit::cli
