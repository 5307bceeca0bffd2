#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
  holder,   ///< Hidden: the process that holds.
};

/// The command line and the WARMINIT_ variables, checked.
struct Options {
  Verb verb = Verb::run;
  std::vector<std::string> command;
  bool signal_group = false;
  warm::HolderOptions holder;
  warm::Requirement requirement = warm::Requirement::none;
  std::optional<std::chrono::milliseconds> wait_ready;  ///< How long COMMAND is held back at most.
  init::RestartPolicy restart;
  std::chrono::milliseconds grace{5000};
  std::string log_level = "info";
  LogFormat log_format = LogFormat::text;
  bool json = false;
};

/// The text for stdout and exit code 0 (--help, --version), or the one line for stderr and 125.
struct Answer {
  std::string text;
  int code = 0;
};

/// Reads the command line. What stands after the first `--` is COMMAND and is not looked at.
std::variant<Options, Answer> parse(const std::vector<std::string>& argv);

}  // namespace warminit::cli
