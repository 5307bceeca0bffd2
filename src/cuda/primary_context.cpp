#include "warminit/cuda/primary_context.h"

#include <utility>

namespace warminit::cuda {

Result<PrimaryContext> PrimaryContext::retain(const Driver& driver, abi::CUdevice device) {
  // Before the first retain: flags of a context that exists already cannot always be changed. A
  // refusal costs processor time while waiting, not function.
  (void)driver.cuDevicePrimaryCtxSetFlags(device, abi::CU_CTX_SCHED_BLOCKING_SYNC);
  PrimaryContext context(driver, device);
  const auto result = driver.cuDevicePrimaryCtxRetain(&context.context_, device);
  if (result != abi::CUDA_SUCCESS) {
    context.driver_ = nullptr;  // There is no reference to give back.
    return driver.error("cuDevicePrimaryCtxRetain", result);
  }
  const auto step = context.make_current();
  if (!step) return step.error();
  // The driver rounds up to its minimum. A refusal costs memory, not function.
  (void)driver.cuCtxSetLimit(abi::CU_LIMIT_STACK_SIZE, 1);
  return context;
}

PrimaryContext::PrimaryContext(PrimaryContext&& other) noexcept
    : driver_(std::exchange(other.driver_, nullptr)),
      device_(other.device_),
      context_(other.context_) {}

PrimaryContext& PrimaryContext::operator=(PrimaryContext other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(device_, other.device_);
  std::swap(context_, other.context_);
  return *this;
}

PrimaryContext::~PrimaryContext() {
  if (driver_ != nullptr)
    (void)driver_->cuDevicePrimaryCtxRelease(device_);  // Nothing to do about.
}

Result<Done> PrimaryContext::make_current() const {
  return driver_->check("cuCtxSetCurrent", driver_->cuCtxSetCurrent(context_));
}

}  // namespace warminit::cuda
