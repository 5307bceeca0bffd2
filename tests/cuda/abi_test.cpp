#include <gtest/gtest.h>

#include "warminit/cuda/driver.h"

// After our own header: from here on cuda.h renames functions to their latest versions.
#if __has_include(<cuda.h>)
#include <cuda.h>

#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <type_traits>

/// Holds cuda/abi.h against the toolkit's cuda.h, at compile time.
namespace warminit::cuda {
namespace {

/// The type of cuda.h that one of ours stands for.
template <typename Ours>
struct Real {
  using Type = Ours;
};
#define WARMINIT_STANDS_FOR(ours, theirs) \
  template <>                             \
  struct Real<ours> {                     \
    using Type = theirs;                  \
  };
WARMINIT_STANDS_FOR(abi::CUctx_st, ::CUctx_st)
WARMINIT_STANDS_FOR(abi::CUmod_st, ::CUmod_st)
WARMINIT_STANDS_FOR(abi::CUfunc_st, ::CUfunc_st)
WARMINIT_STANDS_FOR(abi::CUstream_st, ::CUstream_st)
WARMINIT_STANDS_FOR(abi::CUuuid, ::CUuuid)
#undef WARMINIT_STANDS_FOR

template <typename Ours, typename Theirs>
constexpr bool same_type() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using OurTarget = std::remove_pointer_t<Ours>;
    using TheirTarget = std::remove_pointer_t<Theirs>;
    return std::is_const_v<OurTarget> == std::is_const_v<TheirTarget> &&
           same_type<std::remove_cv_t<OurTarget>, std::remove_cv_t<TheirTarget>>();
  } else if constexpr (std::is_enum_v<Theirs>) {
    return std::is_same_v<Ours, int> && sizeof(Ours) == sizeof(Theirs);
  } else {
    return std::is_same_v<typename Real<Ours>::Type, Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct SameFunction;
template <typename OurResult, typename... Ours, typename TheirResult, typename... Theirs>
struct SameFunction<OurResult(Ours...), TheirResult(Theirs...)> {
  static constexpr bool parameters() {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return (same_type<Ours, Theirs>() && ...);
    else
      return false;
  }
  static constexpr bool value = same_type<OurResult, TheirResult>() && parameters();
};

// `function` behind `::` is what cuda.h has made of it: the version that we must look up.
#define WARMINIT_HOLD(function, symbol)                                       \
  static_assert(SameFunction<abi::function##_t, decltype(::function)>::value, \
                symbol " is declared otherwise in cuda.h");
WARMINIT_CUDA_FUNCTIONS(WARMINIT_HOLD)
WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_HOLD)
#undef WARMINIT_HOLD

#define WARMINIT_TEXT(name) #name
#define WARMINIT_EXPANDED(name) WARMINIT_TEXT(name)
// The first version of cuDeviceGetUuid is wanted on purpose: it names the GPU of a MIG instance.
#define WARMINIT_HOLD(function, symbol)                                    \
  static_assert(std::string_view(WARMINIT_EXPANDED(function)) == symbol || \
                    std::string_view(symbol) == "cuDeviceGetUuid",         \
                symbol " is another version than that of cuda.h");
WARMINIT_CUDA_FUNCTIONS(WARMINIT_HOLD)
WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_HOLD)
#undef WARMINIT_HOLD

static_assert(sizeof(abi::CUuuid) == sizeof(::CUuuid));
static_assert(std::is_same_v<abi::CUdevice, ::CUdevice>);
static_assert(std::is_same_v<abi::CUdeviceptr, ::CUdeviceptr>);
static_assert(same_type<abi::CUresult, ::CUresult>());

#define WARMINIT_CONSTANTS(X)                  \
  X(CUDA_SUCCESS)                              \
  X(CUDA_ERROR_INVALID_VALUE)                  \
  X(CUDA_ERROR_OUT_OF_MEMORY)                  \
  X(CUDA_ERROR_NOT_INITIALIZED)                \
  X(CUDA_ERROR_DEINITIALIZED)                  \
  X(CUDA_ERROR_STUB_LIBRARY)                   \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE)             \
  X(CUDA_ERROR_NO_DEVICE)                      \
  X(CUDA_ERROR_INVALID_DEVICE)                 \
  X(CUDA_ERROR_INVALID_IMAGE)                  \
  X(CUDA_ERROR_INVALID_CONTEXT)                \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU)              \
  X(CUDA_ERROR_ECC_UNCORRECTABLE)              \
  X(CUDA_ERROR_INVALID_PTX)                    \
  X(CUDA_ERROR_NVLINK_UNCORRECTABLE)           \
  X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND) \
  X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)      \
  X(CUDA_ERROR_OPERATING_SYSTEM)               \
  X(CUDA_ERROR_INVALID_HANDLE)                 \
  X(CUDA_ERROR_NOT_FOUND)                      \
  X(CUDA_ERROR_ILLEGAL_ADDRESS)                \
  X(CUDA_ERROR_LAUNCH_TIMEOUT)                 \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)         \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED)           \
  X(CUDA_ERROR_ASSERT)                         \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR)           \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION)            \
  X(CUDA_ERROR_MISALIGNED_ADDRESS)             \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE)          \
  X(CUDA_ERROR_INVALID_PC)                     \
  X(CUDA_ERROR_LAUNCH_FAILED)                  \
  X(CUDA_ERROR_SYSTEM_NOT_READY)               \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)         \
  X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE) \
  X(CUDA_ERROR_MPS_CONNECTION_FAILED)          \
  X(CUDA_ERROR_MPS_RPC_FAILURE)                \
  X(CUDA_ERROR_MPS_SERVER_NOT_READY)           \
  X(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED)        \
  X(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED)    \
  X(CUDA_ERROR_MPS_CLIENT_TERMINATED)          \
  X(CUDA_ERROR_UNKNOWN)

#define WARMINIT_HOLD(name) \
  static_assert(static_cast<long>(abi::name) == static_cast<long>(::name), #name);
WARMINIT_CONSTANTS(WARMINIT_HOLD)
#undef WARMINIT_HOLD

TEST(Abi, IsThatOfCudaH) { EXPECT_GE(CUDA_VERSION, 11000); }

TEST(Abi, IsHeldInEveryConstant) {
  const std::string here = __FILE__;
  std::ifstream header(here.substr(0, here.rfind("/tests/")) + "/include/warminit/cuda/abi.h");
  if (!header) GTEST_SKIP() << "the source of abi.h is not where it was compiled";
  std::string held;
#define WARMINIT_APPEND(name) held += #name " ";
  WARMINIT_CONSTANTS(WARMINIT_APPEND)
#undef WARMINIT_APPEND
  const std::regex constant("\\b(CUDA?_[A-Z0-9_]+) = ");
  int found = 0;
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, constant)) continue;
    ++found;
    EXPECT_NE((" " + held).find(" " + match[1].str() + " "), std::string::npos)
        << match[1] << " is missing in WARMINIT_CONSTANTS";
  }
  EXPECT_GT(found, 40);
}

}  // namespace
}  // namespace warminit::cuda

#else

TEST(Abi, IsThatOfCudaH) { GTEST_SKIP() << "no CUDA toolkit here: cuda.h was not found"; }

#endif
