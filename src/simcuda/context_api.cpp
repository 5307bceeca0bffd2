#include "call.h"
#include "exports.h"

/// Primary contexts, and the context that is current to a thread.
namespace warminit::simcuda {

extern "C" {

abi::CUresult cuDevicePrimaryCtxSetFlags(abi::CUdevice device, unsigned flags) {
  return primary_context_call("cuDevicePrimaryCtxSetFlags", device,
                              [flags](Device& found) { return found.set_flags(flags); });
}

abi::CUresult cuDevicePrimaryCtxRetain(abi::CUcontext* context, abi::CUdevice device) {
  return primary_context_call("cuDevicePrimaryCtxRetain", device,
                              [context](Device& found) { return found.retain(context); });
}

abi::CUresult cuDevicePrimaryCtxRelease(abi::CUdevice device) {
  return primary_context_call("cuDevicePrimaryCtxRelease", device,
                              [](Device& found) { return found.release(); });
}

abi::CUresult cuCtxSetCurrent(abi::CUcontext context) {
  if (context == nullptr) {
    if (!Process::instance().initialised()) return abi::CUDA_ERROR_NOT_INITIALIZED;
    set_current_device(nullptr);
    return abi::CUDA_SUCCESS;
  }
  return context_call(
      "cuCtxSetCurrent", [context](const Process& process) { return process.find(context); },
      abi::CUDA_ERROR_INVALID_CONTEXT,
      [](Device& device) -> abi::CUresult {
        if (!device.is_retained()) return abi::CUDA_ERROR_INVALID_CONTEXT;
        set_current_device(&device);
        return abi::CUDA_SUCCESS;
      });
}

abi::CUresult cuCtxSetLimit(int limit, std::size_t value) {
  return current_context_call("cuCtxSetLimit",
                              [&](Context& context) { return context.set_limit(limit, value); });
}

abi::CUresult cuCtxSynchronize() {
  return current_context_call("cuCtxSynchronize",
                              [](Context& context) { return context.synchronize(); });
}

}  // extern "C"

}  // namespace warminit::simcuda
