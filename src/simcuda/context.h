#pragma once

#include <cstddef>

#include "memory.h"
#include "module.h"
#include "warminit/cuda/abi.h"

namespace warminit::simcuda {

/// The size of a launch: blocks, and threads in each.
struct Grid {
  unsigned blocks[3];
  unsigned threads[3];
  unsigned shared_bytes;
};

/// What one primary context holds from its first retain to its last release. Guarded by the
/// device's lock.
class Context {
 public:
  /// What a context takes of its device's memory, measured on an H200.
  static constexpr std::size_t kFootprint = std::size_t{527} << 20;
  static constexpr std::size_t kSmallFootprint = std::size_t{263} << 20;  ///< Smallest stack.

  Context(std::size_t total_bytes, bool wrong_result)
      : memory_(total_bytes), wrong_result_(wrong_result) {}

  Memory& memory() { return memory_; }
  Modules& modules() { return modules_; }
  cuda::abi::CUresult set_limit(int limit, std::size_t value);

  /// Carries the kernel out at once; what the device has to complain about waits for the next
  /// synchronize(), as the real driver's launches do.
  cuda::abi::CUresult launch(cuda::abi::CUfunction function, const Grid& grid, void** parameters);
  cuda::abi::CUresult synchronize() const { return pending_; }
  cuda::abi::CUresult copy_to_host(void* host, cuda::abi::CUdeviceptr device, std::size_t bytes);

 private:
  Memory memory_;
  Modules modules_;
  bool wrong_result_;
  cuda::abi::CUresult pending_ = cuda::abi::CUDA_SUCCESS;
};

}  // namespace warminit::simcuda
