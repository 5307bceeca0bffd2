#pragma once

#include <string>
#include <vector>

#include "warminit/cuda/abi.h"

namespace warminit::simcuda {

/// What CUDA_VISIBLE_DEVICES selects: device numbers, in the order of their ordinals.
struct Visible {
  cuda::abi::CUresult result = cuda::abi::CUDA_SUCCESS;  ///< Of cuInit.
  std::vector<unsigned> devices;
};

/// Reads `value` as the real driver does; null is a variable that is not set.
///
/// `names` holds for each device the UUIDs it answers to ("GPU-…", and "MIG-…" where it is an
/// instance). The list ends at the first entry that names no device. Source: measured on CUDA 13,
/// see tests/simcuda/visible_test.cpp.
Visible visible_devices(const char* value, const std::vector<std::vector<std::string>>& names);

}  // namespace warminit::simcuda
