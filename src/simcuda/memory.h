#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "warminit/cuda/abi.h"

namespace warminit::simcuda {

/// Zeroed pages of this process. Taken from the kernel only when touched, so that a simulated GPU
/// may have more memory than the machine.
class Pages {
 public:
  /// Empty if the kernel refuses.
  explicit Pages(std::size_t bytes);
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// The memory of one device as one context sees it. Guarded by the device's lock.
///
/// Device pointers are addresses of no host memory, and none is given out twice: using one on the
/// host crashes, and one that was freed is known as such.
class Memory {
 public:
  explicit Memory(std::size_t total_bytes) : total_bytes_(total_bytes) {}

  /// Makes the context itself take `bytes`, in place of what it took before.
  cuda::abi::CUresult reserve(std::size_t bytes);
  cuda::abi::CUresult allocate(cuda::abi::CUdeviceptr* pointer, std::size_t bytes);
  cuda::abi::CUresult free(cuda::abi::CUdeviceptr pointer);

  std::size_t total_bytes() const { return total_bytes_; }
  std::size_t free_bytes() const { return total_bytes_ - reserved_bytes_ - allocated_bytes_; }

  /// The host memory behind `bytes` bytes at `pointer`; empty unless one allocation has them all.
  std::span<std::byte> find(cuda::abi::CUdeviceptr pointer, std::size_t bytes) const;

 private:
  bool fits(std::size_t reserved, std::size_t bytes) const;

  std::size_t total_bytes_;
  std::size_t reserved_bytes_ = 0;
  std::size_t allocated_bytes_ = 0;
  std::map<cuda::abi::CUdeviceptr, Pages> allocations_;
};

}  // namespace warminit::simcuda
