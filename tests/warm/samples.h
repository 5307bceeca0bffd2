#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "warminit/warm/report.h"
#include "warminit/warm/state.h"

namespace warminit::test {

inline warm::DriverReport driver_with(int devices) {
  warm::DriverReport report;
  report.path = "/usr/lib/libcuda.so.1";
  report.version = 13000;
  report.devices = devices;
  return report;
}

inline warm::DeviceReport device(int ordinal, warm::DeviceStatus status) {
  warm::DeviceReport report;
  report.ordinal = ordinal;
  report.uuid = "GPU-" + std::to_string(ordinal);
  report.status = status;
  report.level =
      status == warm::DeviceStatus::ready ? warm::HoldLevel::context : warm::HoldLevel::off;
  if (status == warm::DeviceStatus::failed || status == warm::DeviceStatus::skipped)
    report.problem = warm::Problem{2, "its own reason", ""};
  return report;
}

/// What a holder says whose devices have come so far.
inline warm::State state_with(const std::vector<warm::DeviceStatus>& devices) {
  warm::State state;
  state.holder_started();
  state.apply(driver_with(static_cast<int>(devices.size())));
  for (std::size_t i = 0; i < devices.size(); ++i)
    state.apply(device(static_cast<int>(i), devices[i]));
  return state;
}

}  // namespace warminit::test
