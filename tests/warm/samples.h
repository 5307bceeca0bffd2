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

/// A device with a value in every field.
inline warm::DeviceReport full_device() {
  warm::DeviceReport report;
  report.ordinal = 3;
  report.uuid = "MIG-5cb7f26c";
  report.name = "NVIDIA H200";
  report.pci_bus_id = "0000:01:00.0";
  report.memory_bytes = 150754820096;  // More than 32 bits.
  report.compute_mode = "Exclusive_Process";
  report.mig = true;
  report.status = warm::DeviceStatus::skipped;
  report.level = warm::HoldLevel::device;
  report.seconds = {{"retain", 0.125}, {"launch", 1e-6}};
  report.problem = warm::Problem{2, "cuDevicePrimaryCtxRetain: why", "what to do"};
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
