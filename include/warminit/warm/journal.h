#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "warminit/warm/state.h"

namespace warminit::warm {

/// Writes the log about devices and the holder: one line per step of the life cycle, and each
/// piece of bad news once, however often the holder meets it again.
class Journal {
 public:
  /// A report has been applied to the state.
  void on_report(const Report& report);

  /// The readiness may have changed; says so when it has, with event "ready" or "failed".
  void on_state(const State& state);

  /// The holder ended without being told to. `next`: what happens now.
  void on_holder_end(const Problem& why, const std::string& next);

  /// Init has told the holder to end: what follows is no news.
  void close() { closed_ = true; }

 private:
  void on_driver(const DriverReport& driver);
  void on_device(const DeviceReport& device);
  bool is_new(const std::string& subject, const std::string& text);
  bool is_untold(const Problem& problem);

  /// Since when the devices are on their way: from the beginning, or from their loss.
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::map<std::string, std::string> last_;  ///< The last text about each subject.
  std::set<std::string> told_;               ///< Every problem that has been told.
  Readiness readiness_ = Readiness::pending;
  bool closed_ = false;
};

}  // namespace warminit::warm
