#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warminit/warm/bring_up.h"

namespace warminit::warm {

/// Memory of the device whose context is current; nothing where the driver does not say.
std::optional<Memory> memory_of_current(const cuda::Driver& driver);

/// The device files that this process has open: every character device but those of everybody
/// (/dev/null, terminals, …).
std::vector<std::string> open_device_files();

/// Looks again, now and then, at what a holder holds.
class Health {
 public:
  /// `held` has been brought up; `files` are the driver's device files.
  Health(Held& held, std::vector<std::string> files, Reporter report);

  /// Opens each device file anew, because a process that has one open notices nothing when the
  /// right to open it is lost; and runs the warm-up kernel on each context. Reports every device.
  ///
  /// Returns why this process is of no more use, after an error that only a fresh one survives.
  std::optional<Diagnosis> check();

 private:
  std::optional<Diagnosis> run_kernel(std::size_t index, DeviceReport& device);

  Held& held_;
  std::vector<std::string> files_;
  std::vector<std::optional<Problem>> usual_;  ///< Why a device is held for less, by its index.
  Reporter report_;
};

}  // namespace warminit::warm
