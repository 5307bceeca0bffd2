#include "call.h"
#include "exports.h"

/// cuInit, and what describes the driver.
namespace warminit::simcuda {

extern "C" {

const int warminit_simcuda = 1;

abi::CUresult cuInit(unsigned flags) {
  return plain_call("cuInit", [flags] { return Process::instance().initialise(flags); });
}

abi::CUresult cuDriverGetVersion(int* version) {
  return plain_call("cuDriverGetVersion", [version]() -> abi::CUresult {
    if (version == nullptr) return abi::CUDA_ERROR_INVALID_VALUE;
    *version = Process::instance().switches().driver_version;
    return abi::CUDA_SUCCESS;
  });
}

}  // extern "C"

}  // namespace warminit::simcuda
