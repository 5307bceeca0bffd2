#pragma once

#include <chrono>
#include <string>

#include "warminit/doctor/answer.h"
#include "warminit/os/signals.h"

namespace warminit::doctor {

/// How a child is started that asks the driver.
struct DriverClient {
  std::string library;                     ///< As --driver-library says.
  std::chrono::milliseconds limit{30000};  ///< From its start to its end.
  os::SignalState signals;                 ///< What the child starts with.
};

/// Asks the driver in a fresh process of this same program, and waits for that, at most `limit`.
///
/// Only for a process of one thread and without other children: it waits for SIGCHLD, which stays
/// blocked afterwards. A child that hangs is killed; one that cannot even be killed is left behind.
Answer ask_in_child(const DriverClient& client, const Question& question);

}  // namespace warminit::doctor
