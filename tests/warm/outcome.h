#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "warminit/warm/bring_up.h"

namespace warminit::test {

/// What a holder brings up here, and what it reports meanwhile.
struct Outcome {
  warm::Held held;
  std::vector<warm::DriverReport> drivers;
  std::map<int, std::vector<warm::DeviceReport>> devices;  ///< Every report, by ordinal.
  std::optional<warm::Diagnosis> diagnosis;

  explicit Outcome(warm::HoldLevel level, const std::string& library = SIMCUDA_LIBRARY)
      : Outcome(warm::BringUp{level, library, {}, false}) {}

  explicit Outcome(const warm::BringUp& task) {
    std::mutex mutex;
    diagnosis = warm::bring_up(held, task, [&](const warm::Report& report) {
      const std::scoped_lock lock(mutex);
      if (const auto* driver = std::get_if<warm::DriverReport>(&report)) {
        EXPECT_TRUE(devices.empty());  // It comes first.
        drivers.push_back(*driver);
      }
      if (const auto* device = std::get_if<warm::DeviceReport>(&report))
        devices[device->ordinal].push_back(*device);
    });
  }
  [[nodiscard]] std::vector<warm::DeviceStatus> steps(int ordinal) const {
    std::vector<warm::DeviceStatus> statuses;
    for (const warm::DeviceReport& report : devices.at(ordinal)) statuses.push_back(report.status);
    return statuses;
  }
  [[nodiscard]] const warm::DeviceReport& last(int ordinal) const {
    return devices.at(ordinal).back();
  }
  [[nodiscard]] bool holds(std::size_t ordinal) const {
    return held.contexts.at(ordinal).has_value();
  }
};

}  // namespace warminit::test
