#pragma once

#include "warminit/cli/adder.h"
#include "warminit/cli/options.h"

namespace warminit::cli {

/// What tini, dumb-init and catatonit let be chosen, under their letters; read before it counts.
struct ForeignOptions {
  bool subreaper = false;     ///< tini -s: we always are one.
  bool single_child = false;  ///< dumb-init -c.
  bool signal_group = false;  ///< tini -g, catatonit -g.
  bool license = false;       ///< tini -l, catatonit -L.
  bool pause = false;         ///< catatonit -P.
  int verbose = 0;            ///< tini -v, -vv, -vvv; dumb-init -v.
};

/// Adds the options of an init, ours and those of the others.
void add_init_options(Adder& add, CLI::App& app, InitOptions& options, ForeignOptions& foreign);

/// Puts together what `personality`, the variables of the others (TINI_…, DUMB_INIT_…) and the
/// options say about sessions, groups and exit codes.
void settle_init_options(const Personality& personality, const ForeignOptions& foreign,
                         InitOptions& options);

/// The log level that `personality`, TINI_VERBOSITY or DUMB_INIT_DEBUG, and -v add up to.
std::string settle_log_level(const Personality& personality, const ForeignOptions& foreign);

}  // namespace warminit::cli
