#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warminit/cuda/abi.h"

namespace warminit::simcuda {

/// The kernels that `ptx` defines. Only as much of PTX is read as tells them: comments, the
/// `.version` that it must begin with, and each `.entry NAME`.
///
/// Returns CUDA_ERROR_INVALID_IMAGE if this is no PTX, CUDA_ERROR_INVALID_PTX if it is bad.
cuda::abi::CUresult parse_ptx(std::string_view ptx, std::vector<std::string>& entries);

/// The modules loaded into one context. Guarded by the device's lock.
///
/// Handles are numbers of this table, never addresses: a stale one is known as such.
class Modules {
 public:
  cuda::abi::CUresult load(cuda::abi::CUmodule* module, const void* image);
  cuda::abi::CUresult unload(cuda::abi::CUmodule module);
  cuda::abi::CUresult find(cuda::abi::CUfunction* function, cuda::abi::CUmodule module,
                           const char* name) const;
  /// The name of the kernel; null if there is no such function.
  const std::string* name_of(cuda::abi::CUfunction function) const;

 private:
  std::map<cuda::abi::CUmodule, std::vector<cuda::abi::CUfunction>> modules_;
  std::map<cuda::abi::CUfunction, std::string> functions_;  ///< And the name of each.
};

}  // namespace warminit::simcuda
