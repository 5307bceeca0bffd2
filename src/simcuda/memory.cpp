#include "memory.h"

#include <sys/mman.h>

#include <atomic>

namespace warminit::simcuda {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

/// The next free device address of this process: one address space for all devices, as the driver
/// has.
std::atomic<cuda::abi::CUdeviceptr> next_address{0x3'0200'0000};

/// A new address for `bytes` bytes, and an unused page behind them to catch what runs over.
cuda::abi::CUdeviceptr take_addresses(std::size_t bytes) {
  const std::size_t pages = (bytes + kPage - 1) / kPage + 1;
  return next_address.fetch_add(pages * kPage);
}

}  // namespace

Pages::Pages(std::size_t bytes) {
  constexpr int kProtection = PROT_READ | PROT_WRITE;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* address = ::mmap(nullptr, bytes, kProtection, kFlags, -1, 0);
  if (address != MAP_FAILED) bytes_ = {static_cast<std::byte*>(address), bytes};
}

Pages::~Pages() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

bool Memory::fits(std::size_t reserved, std::size_t bytes) const {
  if (reserved > total_bytes_ || allocated_bytes_ > total_bytes_ - reserved) return false;
  return bytes <= total_bytes_ - reserved - allocated_bytes_;
}

cuda::abi::CUresult Memory::reserve(std::size_t bytes) {
  if (!fits(bytes, 0)) return cuda::abi::CUDA_ERROR_OUT_OF_MEMORY;
  reserved_bytes_ = bytes;
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Memory::allocate(cuda::abi::CUdeviceptr* pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  if (!fits(reserved_bytes_, bytes)) return cuda::abi::CUDA_ERROR_OUT_OF_MEMORY;
  const cuda::abi::CUdeviceptr address = take_addresses(bytes);
  const auto [allocation, added] = allocations_.try_emplace(address, bytes);
  if (allocation->second.bytes().empty()) {
    allocations_.erase(allocation);
    return cuda::abi::CUDA_ERROR_OUT_OF_MEMORY;
  }
  allocated_bytes_ += bytes;
  *pointer = address;
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Memory::free(cuda::abi::CUdeviceptr pointer) {
  const auto allocation = allocations_.find(pointer);
  if (allocation == allocations_.end()) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  allocated_bytes_ -= allocation->second.bytes().size();
  allocations_.erase(allocation);
  return cuda::abi::CUDA_SUCCESS;
}

std::span<std::byte> Memory::find(cuda::abi::CUdeviceptr pointer, std::size_t bytes) const {
  auto allocation = allocations_.upper_bound(pointer);
  if (allocation == allocations_.begin()) return {};
  --allocation;
  const std::span<std::byte> all = allocation->second.bytes();
  const cuda::abi::CUdeviceptr offset = pointer - allocation->first;
  if (offset > all.size() || bytes > all.size() - offset) return {};
  return all.subspan(offset, bytes);
}

}  // namespace warminit::simcuda
