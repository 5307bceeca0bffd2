#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warminit/cuda/driver.h"
#include "warminit/cuda/primary_context.h"
#include "warminit/warm/diagnosis.h"
#include "warminit/warm/report.h"

namespace warminit::warm {

/// What the holder process holds: the driver, and the contexts by ordinal.
struct Held {
  std::unique_ptr<cuda::Driver> driver;  ///< Outlives the contexts, and keeps its address.
  std::vector<std::optional<cuda::PrimaryContext>> contexts;
  std::vector<DeviceReport> reports;  ///< The last of each device, in the order of `contexts`.
};

/// Takes a report at a time, from any thread.
using Reporter = std::function<void(const Report&)>;

/// What to bring up.
struct BringUp {
  HoldLevel level = HoldLevel::context;
  std::string driver_library;
  std::set<int> skip;  ///< Ordinals of devices to leave alone; they are reported as failed.
  bool one_by_one = false;
};

/// Loads the driver, initialises it, and warms all visible devices: side by side, a thread each, or
/// one by one.
///
/// Returns nothing when there is something to hold, or why not, as far as it concerns the whole
/// process; what concerns one device is in its report.
std::optional<Diagnosis> bring_up(Held& held, const BringUp& task, const Reporter& report);

}  // namespace warminit::warm
