#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "warminit/init/supervisor.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/timer.h"
#include "warminit/warm/holder.h"
#include "warminit/warm/journal.h"
#include "warminit/warm/report_link.h"
#include "warminit/warm/state.h"

namespace warminit::warm {

/// Init's side of the holder: starts it, takes in its reports, restarts it with back-off, and
/// ends it when it hangs. Nothing here waits for the driver.
class HolderLink {
 public:
  /// `changed` is called after each change of the state.
  HolderLink(os::EventLoop& loop, init::Reaper& reaper, HolderOptions options,
             init::RestartPolicy policy, std::function<void()> changed);

  void start();

  /// Tells the holder to release and end; it is not started again.
  void close();

  /// Gives the GPUs back: contexts, driver and device files. Done when state() is released.
  void release();
  /// Takes them again after a release.
  void acquire();

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] std::optional<pid_t> pid() const noexcept { return supervisor_.pid(); }
  /// How often a holder has been started.
  [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }

 private:
  enum class Phase { holding, releasing, released, closing };

  pid_t start_process();
  void let_go();
  void on_released();
  void on_report(const Report& report);
  void wait_for_next(const Report& last);
  void blame(const DeviceReport& device);
  void on_hang();
  void on_end(const init::Supervisor::Ending& ending);

  HolderOptions options_;
  std::string executable_;  ///< Found while our working directory is still the one of the start.
  std::function<void()> changed_;
  State state_;
  Journal journal_;
  init::Supervisor supervisor_;
  ReportLink link_;
  /// Set while devices are on their way and while they are checked, anew by each report; and while
  /// they are released.
  os::Timer hang_timer_;
  bool overdue_ = false;             ///< A health check has not come in time.
  std::map<int, int> fatal_errors_;  ///< By ordinal: how often it has cost us the holder.
  bool blamed_ = false;              ///< The holder that runs has had its first fatal error.
  bool is_blame_open_ = false;       ///< For an error of one of several, warmed side by side.
  bool hung_ = false;
  Phase phase_ = Phase::holding;
  std::uint64_t starts_ = 0;
};

}  // namespace warminit::warm
