#pragma once

#include "warminit/cuda/driver.h"

namespace warminit::cuda {

/// One reference to the primary context of a device, released when destroyed.
///
/// The context belongs to this process; no other process can use it.
class PrimaryContext {
 public:
  /// Retains the primary context of `device`; the first retain in a process creates it.
  ///
  /// It is created with the smallest footprint: threads that wait for it sleep
  /// (CU_CTX_SCHED_BLOCKING_SYNC), and its stack limit is the driver's minimum, which halves the
  /// device memory that it takes. `driver` must outlive the result, and its cuInit must have
  /// succeeded. The context is current on this thread afterwards.
  ///
  /// Cost: creation blocks and takes device memory; see "Numbers" in README.md.
  /// Errors: CUDA_ERROR_OUT_OF_MEMORY; CUDA_ERROR_DEVICE_UNAVAILABLE if another process owns the
  /// device; CUDA_ERROR_UNKNOWN if the compute mode is PROHIBITED.
  /// Source: CUDA Driver API 13.0, "Primary Context Management", cuDevicePrimaryCtxRetain.
  static Result<PrimaryContext> retain(const Driver& driver, abi::CUdevice device);

  PrimaryContext(PrimaryContext&& other) noexcept;
  PrimaryContext& operator=(PrimaryContext other) noexcept;
  ~PrimaryContext();

  /// Makes it the context of this thread's driver calls.
  Result<Done> make_current() const;

 private:
  PrimaryContext(const Driver& driver, abi::CUdevice device) : driver_(&driver), device_(device) {}

  const Driver* driver_ = nullptr;  ///< Null once moved from.
  abi::CUdevice device_ = 0;
  abi::CUcontext context_ = nullptr;
};

}  // namespace warminit::cuda
