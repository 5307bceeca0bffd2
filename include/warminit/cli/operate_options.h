#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "warminit/cli/adder.h"
#include "warminit/warm/control_protocol.h"
#include "warminit/warm/ready_signal.h"

namespace warminit::cli {

/// How whoever operates the container reaches init, and what the client verbs ask.
struct OperateOptions {
  std::string socket = warm::kDefaultSocket;  ///< Empty: none.
  bool socket_given = false;                  ///< Asked for: then its failure is worth a warning.
  std::optional<gid_t> socket_group;
  warm::ReadyOptions ready;
  // Of the client verbs.
  bool ready_only = false;  ///< status --ready: only the exit code.
  bool live_only = false;   ///< status --live
  bool probe = false;       ///< status --probe
  std::chrono::milliseconds timeout{60000};
};

/// Adds --socket, --socket-group, --ready-fd, --ready-file, --notify.
void add_operate_options(Adder& add, OperateOptions& options);

}  // namespace warminit::cli
