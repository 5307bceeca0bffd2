#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "warminit/cli/operate_options.h"
#include "warminit/cli/personality.h"
#include "warminit/doctor/answer.h"
#include "warminit/exporter/address.h"
#include "warminit/init/command.h"
#include "warminit/init/supervisor.h"
#include "warminit/warm/gate.h"
#include "warminit/warm/holder.h"

namespace warminit::cli {

enum class LogFormat { text, json };

/// What warminit is asked to do.
enum class Verb {
  run,      ///< The entrypoint: start COMMAND.
  hold,     ///< No command: hold until told to stop.
  devices,  ///< Show what the driver shows.
  doctor,   ///< Say what keeps GPUs from working or from being fast.
  status,   ///< Ask the init of this container.
  wait,
  release,
  acquire,
  holder,      ///< Hidden: the process that holds.
  exporter,    ///< Hidden: the process that serves metrics.
  ask_driver,  ///< Hidden: the process in which the doctor asks the driver.
};

/// What init does, as any init would.
struct InitOptions {
  std::vector<std::string> command;
  init::SignalTarget target = init::SignalTarget::command;
  bool own_session = false;     ///< COMMAND gets a session of its own.
  std::map<int, int> rewrites;  ///< Received signal to forwarded one; to 0: not forwarded.
  std::set<int> success_codes;  ///< Exit codes of COMMAND that become 0.
  std::optional<int> parent_death_signal;
  bool warn_on_reap = false;
  std::chrono::milliseconds grace{5000};
  /// From the first forwarded SIGTERM to SIGKILL for everybody; nothing: never.
  std::optional<std::chrono::milliseconds> stop_timeout;
  StartCodes codes;
};

/// The command line and the variables, checked.
struct Options {
  Verb verb = Verb::run;
  InitOptions init;
  warm::HolderOptions holder;
  warm::Requirement requirement = warm::Requirement::none;
  std::optional<std::chrono::milliseconds> wait_ready;  ///< How long COMMAND is held back at most.
  init::RestartPolicy restart;
  std::optional<exporter::Address> metrics;  ///< Where they are served, if anywhere.
  std::string jit_cache;                     ///< Where compiled kernels are kept; empty: as usual.
  std::string log_level;
  LogFormat log_format = LogFormat::text;
  bool json = false;
  OperateOptions operate;
  doctor::Question question;  ///< Of ask_driver.
};

/// The text for stdout and exit code 0 (--help, --version), or the one line for stderr and the code
/// for bad options.
struct Answer {
  std::string text;
  int code = 0;
};

/// Reads the command line. COMMAND, which begins after the first `--`, is not looked at; under the
/// name of another init it begins at the first word that is no option of ours.
std::variant<Options, Answer> parse(const std::vector<std::string>& argv);

}  // namespace warminit::cli
