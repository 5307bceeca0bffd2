#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "warminit/init/supervisor.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/fd.h"
#include "warminit/os/signals.h"
#include "warminit/os/timer.h"
#include "warminit/warm/holder.h"
#include "warminit/warm/journal.h"
#include "warminit/warm/state.h"

namespace warminit::warm {

/// Init's side of the holder: starts it, takes in its reports, restarts it with back-off, and
/// ends it when it hangs. Nothing here waits for the driver.
class HolderLink {
 public:
  /// `changed` is called after each change of the state.
  HolderLink(os::EventLoop& loop, init::Reaper& reaper, HolderOptions options,
             init::RestartPolicy policy, std::function<void()> changed);
  ~HolderLink();

  void start();

  /// Tells the holder to release and end; it is not started again.
  void close();

  [[nodiscard]] const State& state() const { return state_; }

 private:
  pid_t start_process();
  void on_readable();
  void on_misbehaviour(const char* what);
  void on_line(const std::string& line);
  void blame(const DeviceReport& device);
  void on_hang();
  void on_end(const init::Supervisor::Ending& ending);
  void disconnect();

  os::EventLoop& loop_;
  HolderOptions options_;
  std::string executable_;  ///< Found while our working directory is still the one of the start.
  std::function<void()> changed_;
  State state_;
  Journal journal_;
  init::Supervisor supervisor_;
  /// Set while devices are on their way, anew by each report; and while they are released.
  os::Timer hang_timer_;
  os::Fd socket_;
  std::string buffer_;               ///< The beginning of a line whose rest is still to come.
  std::map<int, int> fatal_errors_;  ///< By ordinal: how often it has cost us the holder.
  bool blamed_ = false;              ///< The holder that runs has had its first fatal error.
  int bad_lines_ = 0;
  bool hung_ = false;
  bool closing_ = false;
};

}  // namespace warminit::warm
