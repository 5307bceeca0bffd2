#include "device.h"

#include <algorithm>
#include <string>
#include <thread>

namespace warminit::simcuda {

int Device::compute_mode() const {
  const std::size_t last = switches_.compute_modes.size() - 1;
  return switches_.compute_modes[std::min<std::size_t>(number_, last)];
}

cuda::abi::CUresult Device::retain(cuda::abi::CUcontext* context) {
  if (context == nullptr) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  if (references_ == 0) {
    const cuda::abi::CUresult result = create();
    if (result != cuda::abi::CUDA_SUCCESS) return result;
  }
  ++references_;
  *context = handle();
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Device::create() {
  if (compute_mode() == cuda::abi::CU_COMPUTEMODE_PROHIBITED) return cuda::abi::CUDA_ERROR_UNKNOWN;
  std::unique_ptr<FileLock> exclusive;
  if (compute_mode() == cuda::abi::CU_COMPUTEMODE_EXCLUSIVE_PROCESS && !switches_.shared.empty()) {
    exclusive = FileLock::open(switches_.shared + ".context-" + std::to_string(number_));
    if (!exclusive) return cuda::abi::CUDA_ERROR_OPERATING_SYSTEM;
    if (!exclusive->try_exclusive()) return cuda::abi::CUDA_ERROR_DEVICE_UNAVAILABLE;
  }
  const bool wrong =
      std::count(switches_.wrong_result.begin(), switches_.wrong_result.end(), number_) != 0;
  auto context = std::make_unique<Context>(switches_.memory_bytes, wrong);
  const cuda::abi::CUresult result = context->memory().reserve(Context::kFootprint);
  if (result != cuda::abi::CUDA_SUCCESS) return result;
  std::this_thread::sleep_for(switches_.context);
  exclusive_ = std::move(exclusive);
  context_ = std::move(context);
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Device::release() {
  const std::lock_guard lock(mutex_);
  if (references_ == 0) return cuda::abi::CUDA_ERROR_INVALID_CONTEXT;
  if (--references_ == 0) {
    context_.reset();
    exclusive_.reset();
  }
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Device::set_flags(unsigned flags) {
  constexpr unsigned kKnownFlags = 0xFF;
  if ((flags & ~kKnownFlags) != 0) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  flags_ = flags;
  return cuda::abi::CUDA_SUCCESS;
}

bool Device::is_retained() {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

}  // namespace warminit::simcuda
