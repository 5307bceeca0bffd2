#include "context.h"

#include <cstdint>
#include <cstring>

#include "warm_up.h"

namespace warminit::simcuda {
namespace {

constexpr std::size_t kSmallestStack = 1024;  ///< Per thread; the driver rounds up to it.

/// What devices of compute capability 9.0 take.
bool is_valid(const Grid& grid) {
  constexpr unsigned kMostBlocks[3] = {0x7FFF'FFFF, 65535, 65535};
  constexpr unsigned kMostThreads[3] = {1024, 1024, 64};
  constexpr unsigned kMostSharedBytes = 227 << 10;
  std::uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid.blocks[i] == 0 || grid.blocks[i] > kMostBlocks[i]) return false;
    if (grid.threads[i] == 0 || grid.threads[i] > kMostThreads[i]) return false;
    threads *= grid.threads[i];
  }
  return threads <= 1024 && grid.shared_bytes <= kMostSharedBytes;
}

template <typename T>
T read(const void* parameter) {
  T value;
  std::memcpy(&value, parameter, sizeof value);
  return value;
}

}  // namespace

cuda::abi::CUresult Context::set_limit(int limit, std::size_t value) {
  if (limit != cuda::abi::CU_LIMIT_STACK_SIZE) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  return memory_.reserve(value <= kSmallestStack ? kSmallFootprint : kFootprint);
}

cuda::abi::CUresult Context::launch(cuda::abi::CUfunction function, const Grid& grid,
                                    void** parameters) {
  const std::string* name = modules_.name_of(function);
  if (name == nullptr) return cuda::abi::CUDA_ERROR_INVALID_HANDLE;
  if (!is_valid(grid)) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  if (*name != kWarmUpKernel || pending_ != cuda::abi::CUDA_SUCCESS) return cuda::abi::CUDA_SUCCESS;

  if (parameters == nullptr) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; ++i)
    if (parameters[i] == nullptr) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  const WarmUp kernel{read<cuda::abi::CUdeviceptr>(parameters[0]),
                      read<std::uint32_t>(parameters[1]), read<std::uint32_t>(parameters[2])};
  const std::uint64_t threads = std::uint64_t{grid.blocks[0]} * grid.threads[0];
  pending_ = run(kernel, threads, memory_, wrong_result_);
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Context::copy_to_host(void* host, cuda::abi::CUdeviceptr device,
                                          std::size_t bytes) {
  if (pending_ != cuda::abi::CUDA_SUCCESS) return pending_;
  if (bytes == 0) return cuda::abi::CUDA_SUCCESS;
  const std::span<std::byte> from = memory_.find(device, bytes);
  if (host == nullptr || from.empty()) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  std::memcpy(host, from.data(), bytes);
  return cuda::abi::CUDA_SUCCESS;
}

}  // namespace warminit::simcuda
