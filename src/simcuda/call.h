#pragma once

#include "process.h"

/// The ways in which exported functions begin. Each names its function as the switches do.
namespace warminit::simcuda {

/// A function that works before cuInit and is about no device.
template <typename Body>
cuda::abi::CUresult plain_call(const char* function, Body body) {
  const cuda::abi::CUresult fault = Process::instance().faults().before(function, std::nullopt);
  return fault != cuda::abi::CUDA_SUCCESS ? fault : body();
}

/// A question about a device: `body(Device&)`. A lost context does not matter to it.
template <typename Body>
cuda::abi::CUresult device_call(const char* function, cuda::abi::CUdevice handle, Body body) {
  Process& process = Process::instance();
  if (!process.initialised()) return cuda::abi::CUDA_ERROR_NOT_INITIALIZED;
  Device* device = process.find(handle);
  if (device == nullptr) return cuda::abi::CUDA_ERROR_INVALID_DEVICE;
  const cuda::abi::CUresult fault = process.faults().before(function, device->number());
  return fault != cuda::abi::CUDA_SUCCESS ? fault : body(*device);
}

/// What a process cannot do any more after a sticky error: `body(Device&)`. `find(Process&)` is the
/// device, or null, which is answered by `missing`.
template <typename Find, typename Body>
cuda::abi::CUresult context_call(const char* function, Find find, cuda::abi::CUresult missing,
                                 Body body) {
  Process& process = Process::instance();
  if (!process.initialised()) return cuda::abi::CUDA_ERROR_NOT_INITIALIZED;
  const cuda::abi::CUresult sticky = process.sticky();
  if (sticky != cuda::abi::CUDA_SUCCESS) return sticky;
  Device* device = find(process);
  if (device == nullptr) return missing;
  const cuda::abi::CUresult fault = process.faults().before(function, device->number());
  return process.note(fault != cuda::abi::CUDA_SUCCESS ? fault : body(*device));
}

/// A function on the primary context of a device, retained or not: `body(Device&)`.
template <typename Body>
cuda::abi::CUresult primary_context_call(const char* function, cuda::abi::CUdevice handle,
                                         Body body) {
  return context_call(
      function, [handle](const Process& process) { return process.find(handle); },
      cuda::abi::CUDA_ERROR_INVALID_DEVICE, body);
}

/// A function in the context that is current to this thread: `body(Context&)`.
template <typename Body>
cuda::abi::CUresult current_context_call(const char* function, Body body) {
  return context_call(
      function, [](const Process&) { return current_device(); },
      cuda::abi::CUDA_ERROR_INVALID_CONTEXT,
      [&body](Device& device) { return device.with_context(body); });
}

}  // namespace warminit::simcuda
