#include "call.h"
#include "exports.h"

/// Device memory.
namespace warminit::simcuda {

extern "C" {

abi::CUresult cuMemAlloc(abi::CUdeviceptr* pointer, std::size_t bytes) {
  return current_context_call(
      "cuMemAlloc", [&](Context& context) { return context.memory().allocate(pointer, bytes); });
}

abi::CUresult cuMemFree(abi::CUdeviceptr pointer) {
  return current_context_call(
      "cuMemFree", [pointer](Context& context) { return context.memory().free(pointer); });
}

abi::CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return current_context_call("cuMemGetInfo", [&](Context& context) -> abi::CUresult {
    if (free == nullptr || total == nullptr) return abi::CUDA_ERROR_INVALID_VALUE;
    *free = context.memory().free_bytes();
    *total = context.memory().total_bytes();
    return abi::CUDA_SUCCESS;
  });
}

abi::CUresult cuMemcpyDtoH(void* host, abi::CUdeviceptr device, std::size_t bytes) {
  return current_context_call(
      "cuMemcpyDtoH", [&](Context& context) { return context.copy_to_host(host, device, bytes); });
}

}  // extern "C"

}  // namespace warminit::simcuda
