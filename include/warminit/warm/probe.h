#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "warminit/init/reaper.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/timer.h"
#include "warminit/warm/report_link.h"
#include "warminit/warm/state.h"

namespace warminit::warm {

/// A whole first GPU call in a fresh process: the truth about what a new process of the container
/// would meet, at the price of a context on every GPU for a moment.
class Probe {
 public:
  /// Gets what the probe has found, as docs/PROTOCOL.md describes it.
  using Done = std::function<void(const nlohmann::json& result)>;

  Probe(os::EventLoop& loop, init::Reaper& reaper, HolderOptions options, Done done);

  /// Starts a probe, unless one is under way. Throws std::system_error.
  void ask();

  /// Init is about to end: whatever is under way ends now.
  void close();

 private:
  void on_end(int status);

  init::Reaper& reaper_;
  HolderOptions options_;
  Done done_;
  std::string executable_;  ///< Found while our working directory is still the one of the start.
  ReportLink link_;
  os::Timer hang_timer_;
  State state_;
  std::optional<pid_t> pid_;
  std::chrono::steady_clock::time_point begin_;
  bool hung_ = false;
};

}  // namespace warminit::warm
