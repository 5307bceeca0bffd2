#pragma once

#include <memory>
#include <mutex>

#include "context.h"
#include "file_lock.h"
#include "switches.h"

namespace warminit::simcuda {

/// One simulated GPU as this process sees it, with its primary context. Lives as long as the
/// process. Any thread may use it; devices do not wait for each other.
class Device {
 public:
  /// `number` counts all devices of the host, not only the visible ones. `switches` must outlive
  /// it.
  Device(unsigned number, const Switches& switches) : number_(number), switches_(switches) {}

  unsigned number() const { return number_; }
  int compute_mode() const;
  std::size_t memory_bytes() const { return switches_.memory_bytes; }

  /// The first retain creates the context, and takes SIMCUDA_CONTEXT_MS.
  cuda::abi::CUresult retain(cuda::abi::CUcontext* context);
  /// The last release destroys it, with all that it holds.
  cuda::abi::CUresult release();
  cuda::abi::CUresult set_flags(unsigned flags);

  /// The same for the life of the process, as with the real driver.
  cuda::abi::CUcontext handle() { return reinterpret_cast<cuda::abi::CUcontext>(this); }
  bool is_retained();

  /// `body(Context&)`, or CUDA_ERROR_CONTEXT_IS_DESTROYED while nobody retains the context.
  template <typename Body>
  cuda::abi::CUresult with_context(Body body) {
    const std::lock_guard lock(mutex_);
    return context_ ? body(*context_) : cuda::abi::CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }

 private:
  cuda::abi::CUresult create();

  const unsigned number_;
  const Switches& switches_;
  std::mutex mutex_;  ///< Guards all below.
  unsigned references_ = 0;
  unsigned flags_ = 0;  ///< Nothing of the table answers them; kept for a debugger.
  std::unique_ptr<Context> context_;
  std::unique_ptr<FileLock> exclusive_;  ///< Held beside the context in exclusive mode.
};

}  // namespace warminit::simcuda
