#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

constexpr const char* kPtx = R"(
// .entry commented_out
/* .version 1.0 .entry neither */
.version 6.0
.target sm_50
.address_size 64
.visible .entry warminit_warm_up(.param .u64 out, .param .u32 seed, .param .u32 count) { ret; }
.visible .entry	other
( ) { ret; }
)";

abi::CUfunction find(const Driver& driver, const char* name) {
  abi::CUmodule module = nullptr;
  abi::CUfunction function = nullptr;
  EXPECT_EQ(driver.cuModuleLoadData(&module, kPtx), abi::CUDA_SUCCESS);
  EXPECT_EQ(driver.cuModuleGetFunction(&function, module, name), abi::CUDA_SUCCESS);
  return function;
}

/// Launches the warm-up kernel in blocks of 256 threads.
abi::CUresult launch(const Driver& driver, abi::CUdeviceptr out, unsigned seed, unsigned count,
                     unsigned blocks) {
  void* parameters[] = {&out, &seed, &count};
  return driver.cuLaunchKernel(find(driver, "warminit_warm_up"), blocks, 1, 1, 256, 1, 1, 0,
                               nullptr, parameters, nullptr);
}

std::uint32_t expected(std::uint32_t i, std::uint32_t seed) {
  return (i ^ seed) * 2654435761U + (i >> 3);
}

TEST(SimulatedKernel, ComputesTheWarmUp) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    constexpr unsigned kCount = 1000;
    abi::CUdeviceptr out = 0;
    ASSERT_EQ(driver.cuMemAlloc(&out, kCount * 4), abi::CUDA_SUCCESS);
    ASSERT_EQ(launch(driver, out, 0xC0FFEE, kCount, 4), abi::CUDA_SUCCESS);
    ASSERT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    std::vector<std::uint32_t> values(kCount);
    ASSERT_EQ(driver.cuMemcpyDtoH(values.data(), out, kCount * 4), abi::CUDA_SUCCESS);
    for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(values[i], expected(i, 0xC0FFEE)) << i;
  });
}

TEST(SimulatedKernel, WritesOnlyWhatItsThreadsReach) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUdeviceptr out = 0;
    ASSERT_EQ(driver.cuMemAlloc(&out, 300 * 4), abi::CUDA_SUCCESS);
    ASSERT_EQ(launch(driver, out, 7, 300, 1), abi::CUDA_SUCCESS);
    std::vector<std::uint32_t> values(300);
    ASSERT_EQ(driver.cuMemcpyDtoH(values.data(), out, 300 * 4), abi::CUDA_SUCCESS);
    EXPECT_EQ(values[255], expected(255, 7));
    EXPECT_EQ(values[256], 0U);
  });
}

TEST(SimulatedKernel, OfAnyOtherNameDoesNothing) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    EXPECT_EQ(driver.cuLaunchKernel(find(driver, "other"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                                    nullptr),
              abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedKernel, WritingOutOfRangeLosesTheProcess) {
  simulate({{"SIMCUDA_DEVICES", "2"}}, [](const Driver& driver) {
    abi::CUcontext context = enter(driver);
    abi::CUdeviceptr out = 0;
    ASSERT_EQ(driver.cuMemAlloc(&out, 16), abi::CUDA_SUCCESS);
    ASSERT_EQ(launch(driver, out, 0, 5, 1), abi::CUDA_SUCCESS) << "A launch does not wait.";
    constexpr abi::CUresult kLost = abi::CUDA_ERROR_ILLEGAL_ADDRESS;
    unsigned value = 0;
    EXPECT_EQ(driver.cuMemcpyDtoH(&value, out, 4), kLost);
    EXPECT_EQ(driver.cuCtxSynchronize(), kLost);
    EXPECT_EQ(driver.cuMemFree(out), kLost);
    EXPECT_EQ(driver.cuCtxSetCurrent(context), kLost);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 1), kLost);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), kLost);
    int count = 0;
    EXPECT_EQ(driver.cuDeviceGetCount(&count), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedKernel, WritingToAnOddAddressLosesTheProcess) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUdeviceptr out = 0;
    ASSERT_EQ(driver.cuMemAlloc(&out, 16), abi::CUDA_SUCCESS);
    ASSERT_EQ(launch(driver, out + 1, 0, 1, 1), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_MISALIGNED_ADDRESS);
  });
}

TEST(SimulatedKernel, RefusesABadLaunch) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUfunction function = find(driver, "warminit_warm_up");
    const auto launch_with = [&](abi::CUfunction what, unsigned blocks, unsigned threads) {
      return driver.cuLaunchKernel(what, blocks, 1, 1, threads, 1, 1, 0, nullptr, nullptr, nullptr);
    };
    EXPECT_EQ(launch_with(nullptr, 1, 1), abi::CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(launch_with(function, 0, 1), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch_with(function, 1, 1025), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch_with(function, 1, 1), abi::CUDA_ERROR_INVALID_VALUE) << "No parameters.";
  });
}

TEST(SimulatedKernel, IsWrongOnlyOnTheDeviceThatComputesWrongly) {
  simulate({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_WRONG_RESULT", "1"}}, [](const Driver& driver) {
    for (int device = 0; device < 2; ++device) {
      enter(driver, device);
      abi::CUdeviceptr out = 0;
      ASSERT_EQ(driver.cuMemAlloc(&out, 64), abi::CUDA_SUCCESS);
      ASSERT_EQ(launch(driver, out, 5, 16, 1), abi::CUDA_SUCCESS);
      std::vector<std::uint32_t> values(16);
      ASSERT_EQ(driver.cuMemcpyDtoH(values.data(), out, 64), abi::CUDA_SUCCESS);
      EXPECT_EQ(values[14], expected(14, 5));
      EXPECT_EQ(values[15] == expected(15, 5), device == 0);
    }
  });
}

TEST(SimulatedModule, MustBePtx) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUmodule module = nullptr;
    EXPECT_EQ(driver.cuModuleLoadData(&module, nullptr), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuModuleLoadData(&module, ""), abi::CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(driver.cuModuleLoadData(&module,
                                      "\x7F"
                                      "ELF"),
              abi::CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(driver.cuModuleLoadData(&module, "/* .version 8.0"), abi::CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(driver.cuModuleLoadData(&module, ".version x"), abi::CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(driver.cuModuleLoadData(&module, ".version 8.0\n.entry"),
              abi::CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(driver.cuModuleLoadData(&module, " // hello\n .version 8.0\n"), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedModule, HasTheFunctionsThatItDefinesUntilItIsUnloaded) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUmodule module = nullptr;
    abi::CUfunction function = nullptr;
    ASSERT_EQ(driver.cuModuleLoadData(&module, kPtx), abi::CUDA_SUCCESS);
    const auto find_in_module = [&](const char* name) {
      return driver.cuModuleGetFunction(&function, module, name);
    };
    EXPECT_EQ(find_in_module("missing"), abi::CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(find_in_module("commented_out"), abi::CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(find_in_module("neither"), abi::CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(find_in_module("other"), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuModuleUnload(module), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuModuleUnload(module), abi::CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(find_in_module("other"), abi::CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              abi::CUDA_ERROR_INVALID_HANDLE);
  });
}

}  // namespace
}  // namespace warminit::simcuda_test
