#pragma once

#include <functional>
#include <optional>
#include <string>

#include "warminit/exporter/address.h"
#include "warminit/init/supervisor.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/fd.h"
#include "warminit/os/spawn.h"

namespace warminit::cli {

/// Init's side of the exporter: starts it, and starts it again with back-off when it dies.
class ExporterLink {
 public:
  /// What is started, and how.
  struct Options {
    exporter::Address address;
    init::RestartPolicy restart;
    /// Found while our working directory is still the one of the start.
    std::string executable = os::own_executable();
  };
  /// Takes our end of the socket to each exporter that was started: non-blocking, its questions are
  /// to be answered there. The exporter ends when it is closed.
  using Connected = std::function<void(os::Fd connection)>;

  ExporterLink(os::EventLoop& loop, init::Reaper& reaper, Options options, Connected connected);

  void start();

  /// Ends the exporter, which holds nothing that would have to be put in order; it is not started
  /// again.
  void close();

  /// The exporter that runs.
  [[nodiscard]] std::optional<pid_t> pid() const noexcept { return supervisor_.pid(); }

 private:
  pid_t start_process();
  void on_end(const init::Supervisor::Ending& ending) const;

  Options options_;
  Connected connected_;
  init::Supervisor supervisor_;
  bool announced_ = false;
  bool closing_ = false;
};

}  // namespace warminit::cli
