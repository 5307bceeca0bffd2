#include "warminit/cuda/driver.h"

#include <dlfcn.h>

#include <filesystem>
#include <type_traits>

namespace warminit::cuda {
namespace {

/// The file that holds `address`; `fallback` where the loader does not know.
std::string file_of(const void* address, const std::string& fallback) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fallback;
  return info.dli_fname;
}

/// The stub of the toolkit is a loadable libcuda in which every call answers
/// CUDA_ERROR_STUB_LIBRARY, or which lacks what only a driver has. Its folder tells.
bool is_stub(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  return (error ? path : real).find("/stubs/") != std::string::npos;
}

}  // namespace

Result<Driver> Driver::load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return Error{abi::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "dlopen: " + std::string(why)};
  }

  Driver driver;
  std::string missing;
  const auto resolve = [&](auto*& function, const char* symbol, bool required) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, symbol));
    if (function == nullptr && required) missing.append(" ").append(symbol);
  };
#define WARMINIT_REQUIRED(function, symbol) resolve(driver.function, symbol, true);
#define WARMINIT_OPTIONAL(function, symbol) resolve(driver.function, symbol, false);
  WARMINIT_CUDA_FUNCTIONS(WARMINIT_REQUIRED)
  WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_OPTIONAL)
#undef WARMINIT_REQUIRED
#undef WARMINIT_OPTIONAL

  driver.path = file_of(reinterpret_cast<const void*>(driver.cuInit), library);
  if (is_stub(driver.path))
    return Error{abi::CUDA_ERROR_STUB_LIBRARY, driver.path + ": the CUDA toolkit's stub"};
  if (!missing.empty())
    return Error{abi::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, driver.path + " lacks" + missing};
  driver.simulated = ::dlsym(handle, "warminit_simcuda") != nullptr;
  return driver;
}

Error Driver::error(const char* call, abi::CUresult code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(code, &name) != abi::CUDA_SUCCESS || name == nullptr)
    return Error{code, std::string(call) + ": error " + std::to_string(code)};
  std::string what = std::string(call) + ": " + name;
  if (cuGetErrorString(code, &text) == abi::CUDA_SUCCESS && text != nullptr)
    what.append(" (").append(text).append(")");
  return Error{code, what};
}

Result<Done> Driver::check(const char* call, abi::CUresult code) const {
  if (code == abi::CUDA_SUCCESS) return Done{};
  return error(call, code);
}

}  // namespace warminit::cuda
