#pragma once

#include <string>
#include <vector>

#include "warminit/doctor/answer.h"

namespace warminit::doctor {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

/// What NVML shows of each GPU; none where the library or one of its functions is missing (it is
/// mounted for 'utility' in NVIDIA_DRIVER_CAPABILITIES).
///
/// Only for a process that ends soon: NVML makes its process undumpable, and stays loaded.
/// Source: NVML API Reference, "Device Queries" and "Multi Instance GPU Management".
std::vector<GpuState> gpu_states(const std::string& library);

}  // namespace warminit::doctor
