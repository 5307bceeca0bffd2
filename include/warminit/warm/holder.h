#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warminit/warm/report.h"

namespace warminit::warm {

/// How a holder is started; what init hands to it on its command line.
struct HolderOptions {
  HoldLevel level = HoldLevel::context;
  std::string driver_library;
  std::chrono::milliseconds init_timeout{30000};
  /// When to stop waiting for a machine that is still starting, on CLOCK_MONOTONIC; set by the
  /// holder itself when it begins again in a fresh process.
  std::optional<std::chrono::milliseconds> wait_until;
  /// Between two looks at what is held; zero: none but those asked for.
  std::chrono::milliseconds health_interval{60000};
  /// Ends by itself when no other process has used the GPUs for so long; zero: never.
  std::chrono::milliseconds release_after{0};
  bool once = false;         ///< A probe: bring up, report, release and end.
  bool without_mps = false;  ///< A second try: the MPS server could not be reached.
  /// Warms the devices one after the other, so that the first to tell of a fatal error made it.
  bool one_by_one = false;
  std::set<int> skip;  ///< Ordinals of devices that are left alone: they ended holders before.
};

/// The descriptor of a holder at which its link to init stands: a stream socket. It writes its
/// reports there, and ends when the other side is closed.
inline constexpr int kHolderLink = 3;

/// Exit codes of a holder, besides 0 for "told to end" (names of sysexits.h).
inline constexpr int kHolderGivesUp = 69;   ///< EX_UNAVAILABLE: another try would not help.
inline constexpr int kHolderTryAgain = 75;  ///< EX_TEMPFAIL: a fresh process may do better.
inline constexpr int kHolderUnneeded = 80;  ///< Not of sysexits.h: given back, for want of need.

/// How the variables begin that are options of init's. What init starts for itself gets all it
/// needs on its command line, and a bad variable that init did not need must not stop it.
const std::vector<std::string>& option_variables();

/// The command line that starts a holder with `options`.
std::vector<std::string> holder_arguments(const HolderOptions& options);

/// The holder process: brings every visible device up, holds, and sleeps until init is gone.
///
/// Needs every signal blocked. Returns its exit code, with the contexts released in order; where
/// the driver hangs when the link closes, the process ends at once instead.
int run_holder(const HolderOptions& options);

}  // namespace warminit::warm
