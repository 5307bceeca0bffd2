#include "process.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "identity.h"
#include "visible.h"

namespace warminit::simcuda {
namespace {

thread_local Device* current = nullptr;

constexpr int kPartIfRegistered = 10;  ///< What of cuInit is left while somebody has the GPU.

void complain(const std::string& problem) {
  std::fprintf(stderr, "simcuda: %s\n", problem.c_str());
}

/// The errors after which a process must end to use CUDA again. Not CONTEXT_IS_DESTROYED: that is
/// about one thread's current context, and ends with the next retain.
bool is_sticky(cuda::abi::CUresult result) {
  switch (result) {
    case cuda::abi::CUDA_ERROR_ECC_UNCORRECTABLE:
    case cuda::abi::CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case cuda::abi::CUDA_ERROR_ILLEGAL_ADDRESS:
    case cuda::abi::CUDA_ERROR_LAUNCH_TIMEOUT:
    case cuda::abi::CUDA_ERROR_ASSERT:
    case cuda::abi::CUDA_ERROR_HARDWARE_STACK_ERROR:
    case cuda::abi::CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case cuda::abi::CUDA_ERROR_MISALIGNED_ADDRESS:
    case cuda::abi::CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case cuda::abi::CUDA_ERROR_INVALID_PC:
    case cuda::abi::CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

/// The UUIDs by which CUDA_VISIBLE_DEVICES may name each device.
std::vector<std::vector<std::string>> names_of_devices(const Switches& switches) {
  std::vector<std::vector<std::string>> names;
  const unsigned count = switches.mig ? std::min(switches.devices, 1U) : switches.devices;
  for (unsigned number = 0; number < count; ++number) {
    names.push_back({text_of("GPU-", gpu_uuid(number))});
    if (switches.mig) names.back().push_back(text_of("MIG-", mig_uuid(number)));
  }
  return names;
}

}  // namespace

Process& Process::instance() {
  static Process& process = *new Process;  // Never destroyed: threads may call until the end.
  return process;
}

Process::Process() : switches_(read_switches()), faults_(switches_) {
  if (!switches_.problem.empty()) complain(switches_.problem);
}

bool Process::initialised() const {
  return initialised_.load(std::memory_order_acquire) && pid_ == ::getpid();
}

cuda::abi::CUresult Process::initialise(unsigned flags) {
  if (initialised_.load(std::memory_order_acquire) && pid_ != ::getpid())
    return cuda::abi::CUDA_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(mutex_);
  if (!switches_.problem.empty() || flags != 0) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  return initialised() ? cuda::abi::CUDA_SUCCESS : start();
}

cuda::abi::CUresult Process::start() {
  const Visible visible =
      visible_devices(std::getenv("CUDA_VISIBLE_DEVICES"), names_of_devices(switches_));
  if (visible.result != cuda::abi::CUDA_SUCCESS) return visible.result;
  if (!open_device_file()) return cuda::abi::CUDA_ERROR_NO_DEVICE;
  if (!register_on_host()) return cuda::abi::CUDA_ERROR_OPERATING_SYSTEM;
  for (const unsigned number : visible.devices)
    devices_.push_back(std::make_unique<Device>(number, switches_));
  pid_ = ::getpid();
  started_ = std::chrono::steady_clock::now();
  initialised_.store(true, std::memory_order_release);
  return cuda::abi::CUDA_SUCCESS;
}

/// Without its device files the real driver finds no device.
bool Process::open_device_file() {
  if (switches_.device_file.empty()) return true;
  return ::open(switches_.device_file.c_str(), O_RDWR | O_CLOEXEC) >= 0;  // For ever.
}

/// Takes what cuInit takes: all of SIMCUDA_INIT_MS for the first process of a host, a part of it
/// for those that come while another has the GPU registered. They wait for the first one's cuInit.
bool Process::register_on_host() {
  if (switches_.shared.empty()) {
    std::this_thread::sleep_for(switches_.init);
    return true;
  }
  registration_ = FileLock::open(switches_.shared);
  if (!registration_) {
    complain("SIMCUDA_SHARED: " + switches_.shared + ": " + std::strerror(errno));
    return false;
  }
  if (registration_->try_exclusive()) {
    std::this_thread::sleep_for(switches_.init);
    registration_->share();
  } else {
    registration_->share();
    std::this_thread::sleep_for(switches_.init / kPartIfRegistered);
  }
  return true;
}

Device* Process::find(cuda::abi::CUdevice handle) const {
  if (handle < 0 || static_cast<std::size_t>(handle) >= devices_.size()) return nullptr;
  return devices_[static_cast<std::size_t>(handle)].get();
}

Device* Process::find(cuda::abi::CUcontext handle) const {
  for (const std::unique_ptr<Device>& device : devices_)
    if (device->handle() == handle) return device.get();
  return nullptr;
}

cuda::abi::CUresult Process::sticky() {
  if (switches_.sticky_after &&
      std::chrono::steady_clock::now() - started_ >= *switches_.sticky_after)
    return note(cuda::abi::CUDA_ERROR_LAUNCH_FAILED);
  return sticky_;
}

cuda::abi::CUresult Process::note(cuda::abi::CUresult result) {
  cuda::abi::CUresult first = cuda::abi::CUDA_SUCCESS;
  if (is_sticky(result) && !sticky_.compare_exchange_strong(first, result)) return first;
  return result;
}

Device* current_device() { return current; }
void set_current_device(Device* device) { current = device; }

}  // namespace warminit::simcuda
