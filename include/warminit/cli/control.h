#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warminit/cli/options.h"
#include "warminit/init/command.h"
#include "warminit/init/reaper.h"
#include "warminit/os/event_loop.h"
#include "warminit/warm/control_server.h"
#include "warminit/warm/holder_link.h"
#include "warminit/warm/probe.h"
#include "warminit/warm/ready_signal.h"

namespace warminit::cli {

/// How init answers those who operate the container, and tells those who wait for it.
class Control {
 public:
  /// What there is to tell about; all of it must outlive this object.
  struct Subject {
    const Options& options;
    init::Reaper& reaper;
    const init::Command& command;
    std::optional<warm::HolderLink>& holder;
  };

  /// Before the command is started, which must not get what is meant for us.
  Control(os::EventLoop& loop, const Subject& subject);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// Opens the socket; what is in its way is logged and costs the command nothing.
  void open();

  /// A helper process asks over `connection`.
  void adopt(os::Fd connection);

  /// The state of the GPUs has changed, or it is clear that there will be none (--hold off).
  void on_state();

  /// The end has begun: nobody shall count on the GPUs any more, and whoever works for a client
  /// shall not keep init from ending.
  void on_end();

  /// Init is about to end.
  void close();

 private:
  using Answer = warm::ControlServer::Answer;
  void handle(warm::ControlVerb verb, const Answer& answer);
  void release(const Answer& answer);
  void probe(const Answer& answer);
  static void keep(std::vector<Answer>& answers, const Answer& answer);
  static void answer_all(std::vector<Answer>& answers, const nlohmann::json& status);
  [[nodiscard]] nlohmann::json status() const;
  [[nodiscard]] warm::Readiness readiness() const;
  [[nodiscard]] bool holds() const;

  os::EventLoop& loop_;
  Subject subject_;
  warm::ReadySignal ready_signal_;
  std::optional<warm::ControlServer> server_;  ///< Made when it is needed: few ask.
  std::optional<warm::Probe> probe_;
  std::vector<Answer> until_settled_;
  std::vector<Answer> until_released_;
  std::vector<Answer> until_probed_;
  bool listening_ = false;
  bool ending_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace warminit::cli
