#include "warm_up.h"

#include <algorithm>
#include <cstring>

namespace warminit::simcuda {

cuda::abi::CUresult run(const WarmUp& kernel, std::uint64_t threads, const Memory& memory,
                        bool wrong) {
  constexpr std::size_t kSize = sizeof(std::uint32_t);
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kernel.count, threads));
  if (count == 0) return cuda::abi::CUDA_SUCCESS;
  if (kernel.out % kSize != 0) return cuda::abi::CUDA_ERROR_MISALIGNED_ADDRESS;
  const std::span<std::byte> out = memory.find(kernel.out, count * kSize);
  if (out.empty()) return cuda::abi::CUDA_ERROR_ILLEGAL_ADDRESS;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t value = (i ^ kernel.seed) * 2654435761U + (i >> 3);
    if (wrong && i == count - 1) value ^= 1U;
    std::memcpy(&out[i * kSize], &value, kSize);
  }
  return cuda::abi::CUDA_SUCCESS;
}

}  // namespace warminit::simcuda
