#include <cstdint>

#include "call.h"
#include "exports.h"

/// Modules, and launches of their kernels.
namespace warminit::simcuda {
namespace {

/// The streams that exist without being created: null, legacy and per-thread.
bool is_default(abi::CUstream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

}  // namespace

extern "C" {

abi::CUresult cuModuleLoadData(abi::CUmodule* module, const void* image) {
  return current_context_call(
      "cuModuleLoadData", [&](Context& context) { return context.modules().load(module, image); });
}

abi::CUresult cuModuleUnload(abi::CUmodule module) {
  return current_context_call(
      "cuModuleUnload", [module](Context& context) { return context.modules().unload(module); });
}

abi::CUresult cuModuleGetFunction(abi::CUfunction* function, abi::CUmodule module,
                                  const char* name) {
  return current_context_call("cuModuleGetFunction", [&](Context& context) {
    return context.modules().find(function, module, name);
  });
}

abi::CUresult cuLaunchKernel(abi::CUfunction function, unsigned grid_x, unsigned grid_y,
                             unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, abi::CUstream stream, void** parameters,
                             void** extra) {
  const Grid grid{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  return current_context_call("cuLaunchKernel", [&](Context& context) -> abi::CUresult {
    if (!is_default(stream)) return abi::CUDA_ERROR_INVALID_HANDLE;
    if (extra != nullptr) return abi::CUDA_ERROR_INVALID_VALUE;  // Parameters in one buffer.
    return context.launch(function, grid, parameters);
  });
}

}  // extern "C"

}  // namespace warminit::simcuda
