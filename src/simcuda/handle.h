#pragma once

#include <atomic>
#include <cstdint>

namespace warminit::simcuda {

/// Handles that were ever given out in this process.
inline std::atomic<std::uintptr_t> handles{0};

/// A handle that no other object of this process has or had: opaque to the caller, as the
/// driver's are. Multiplied so that nobody takes it for an index.
template <typename Handle>
Handle new_handle() {
  return reinterpret_cast<Handle>(++handles * 0x1000);
}

}  // namespace warminit::simcuda
