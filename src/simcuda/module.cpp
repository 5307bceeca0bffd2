#include "module.h"

#include "handle.h"

namespace warminit::simcuda {

cuda::abi::CUresult Modules::load(cuda::abi::CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  std::vector<std::string> entries;
  const cuda::abi::CUresult result = parse_ptx(static_cast<const char*>(image), entries);
  if (result != cuda::abi::CUDA_SUCCESS) return result;
  auto* const handle = new_handle<cuda::abi::CUmodule>();
  std::vector<cuda::abi::CUfunction>& functions = modules_[handle];
  for (std::string& entry : entries) {
    functions.push_back(new_handle<cuda::abi::CUfunction>());
    functions_[functions.back()] = std::move(entry);
  }
  *module = handle;
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Modules::unload(cuda::abi::CUmodule module) {
  const auto found = modules_.find(module);
  if (found == modules_.end()) return cuda::abi::CUDA_ERROR_INVALID_HANDLE;
  for (const cuda::abi::CUfunction function : found->second) functions_.erase(function);
  modules_.erase(found);
  return cuda::abi::CUDA_SUCCESS;
}

cuda::abi::CUresult Modules::find(cuda::abi::CUfunction* function, cuda::abi::CUmodule module,
                                  const char* name) const {
  if (function == nullptr || name == nullptr) return cuda::abi::CUDA_ERROR_INVALID_VALUE;
  const auto found = modules_.find(module);
  if (found == modules_.end()) return cuda::abi::CUDA_ERROR_INVALID_HANDLE;
  for (const cuda::abi::CUfunction candidate : found->second) {
    if (functions_.at(candidate) != name) continue;
    *function = candidate;
    return cuda::abi::CUDA_SUCCESS;
  }
  return cuda::abi::CUDA_ERROR_NOT_FOUND;
}

const std::string* Modules::name_of(cuda::abi::CUfunction function) const {
  const auto found = functions_.find(function);
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace warminit::simcuda
