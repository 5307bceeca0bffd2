#pragma once

#include <cstdint>
#include <string_view>

#include "memory.h"

namespace warminit::simcuda {

/// The one kernel that a launch carries out. The simulation cannot run PTX, so it knows what this
/// one computes; every other kernel does nothing.
inline constexpr std::string_view kWarmUpKernel = "warminit_warm_up";

/// Its parameters, in their order.
struct WarmUp {
  cuda::abi::CUdeviceptr out = 0;  ///< `count` times 4 bytes.
  std::uint32_t seed = 0;
  std::uint32_t count = 0;
};

/// out[i] = (i ^ seed) * 2654435761 + (i >> 3) for each thread i < count; if `wrong`, the last
/// value is off by one bit. Writes all or, where `out` is not memory of this context, nothing.
///
/// Returns what the device reports later: CUDA_ERROR_ILLEGAL_ADDRESS, …_MISALIGNED_ADDRESS.
cuda::abi::CUresult run(const WarmUp& kernel, std::uint64_t threads, const Memory& memory,
                        bool wrong);

}  // namespace warminit::simcuda
