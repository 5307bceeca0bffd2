#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(SimulatedContext, IsKeptUntilTheLastRelease) {
  simulate({}, [](const Driver& driver) {
    abi::CUcontext context = enter(driver);
    abi::CUcontext again = nullptr;
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&again, 0), abi::CUDA_SUCCESS);
    EXPECT_EQ(again, context);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(driver.cuCtxSetCurrent(context), abi::CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST(SimulatedContext, CanBeRetainedAgainAfterItsEnd) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_CONTEXT_IS_DESTROYED);
    enter(driver);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedContext, FreesItsMemoryAtItsEnd) {
  simulate({{"SIMCUDA_MEMORY_MIB", "600"}}, [](const Driver& driver) {
    abi::CUdeviceptr pointer = 0;
    for (int i = 0; i < 3; ++i) {
      enter(driver);
      EXPECT_EQ(driver.cuMemAlloc(&pointer, 60 << 20), abi::CUDA_SUCCESS);
      EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    }
    enter(driver);
    EXPECT_EQ(driver.cuMemFree(pointer), abi::CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(SimulatedContext, IsCurrentToTheThreadThatSetIt) {
  simulate({}, [](const Driver& driver) {
    abi::CUcontext context = enter(driver);
    std::thread([&driver, context] {
      EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_INVALID_CONTEXT);
      EXPECT_EQ(driver.cuCtxSetCurrent(context), abi::CUDA_SUCCESS);
      EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    }).join();
    EXPECT_EQ(driver.cuCtxSetCurrent(nullptr), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST(SimulatedContext, IsNeededByAllThatWorksInOne) {
  simulate({}, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    abi::CUdeviceptr pointer = 0;
    abi::CUmodule module = nullptr;
    abi::CUfunction function = nullptr;
    constexpr abi::CUresult kMissing = abi::CUDA_ERROR_INVALID_CONTEXT;
    EXPECT_EQ(driver.cuCtxSetLimit(abi::CU_LIMIT_STACK_SIZE, 0), kMissing);
    EXPECT_EQ(driver.cuModuleLoadData(&module, ".version 8.0\n"), kMissing);
    EXPECT_EQ(driver.cuModuleGetFunction(&function, module, "a"), kMissing);
    EXPECT_EQ(driver.cuModuleUnload(module), kMissing);
    EXPECT_EQ(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              kMissing);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 1), kMissing);
    EXPECT_EQ(driver.cuMemFree(pointer), kMissing);
    EXPECT_EQ(driver.cuMemcpyDtoH(&pointer, pointer, 1), kMissing);
    EXPECT_EQ(driver.cuCtxSetCurrent(reinterpret_cast<abi::CUcontext>(&pointer)), kMissing);
  });
}

TEST(SimulatedContext, TakesKnownFlagsAndLimits) {
  simulate({}, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxSetFlags(0, abi::CU_CTX_SCHED_BLOCKING_SYNC),
              abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxSetFlags(0, 0x10000), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuDevicePrimaryCtxSetFlags(1, 0), abi::CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(nullptr, 0), abi::CUDA_ERROR_INVALID_VALUE);
    enter(driver);
    EXPECT_EQ(driver.cuCtxSetLimit(abi::CU_LIMIT_STACK_SIZE, 1), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSetLimit(99, 1), abi::CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(SimulatedContext, TakesItsTimeBesideThoseOfOtherDevices) {
  const Environment switches = {{"SIMCUDA_DEVICES", "4"}, {"SIMCUDA_CONTEXT_MS", "400"}};
  simulate(switches, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    const auto start = steady_clock::now();
    std::vector<std::thread> threads;
    for (int device = 0; device < 4; ++device)
      threads.emplace_back([&driver, device] { enter(driver, device); });
    for (std::thread& thread : threads) thread.join();
    const auto all = steady_clock::now() - start;
    EXPECT_GE(all, milliseconds(400));
    EXPECT_LT(all, milliseconds(1200));  // One after the other: 1600.

    enter(driver, 0);  // Only the first retain of each costs.
    EXPECT_LT(steady_clock::now() - start - all, milliseconds(400));
  });
}

TEST(SimulatedContext, IsSharedByThreadsWithoutARace) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&driver] {
        for (int round = 0; round < 50; ++round) {
          enter(driver);
          abi::CUdeviceptr pointer = 0;
          unsigned value = 1;
          EXPECT_EQ(driver.cuMemAlloc(&pointer, sizeof value), abi::CUDA_SUCCESS);
          EXPECT_EQ(driver.cuMemcpyDtoH(&value, pointer, sizeof value), abi::CUDA_SUCCESS);
          EXPECT_EQ(driver.cuMemFree(pointer), abi::CUDA_SUCCESS);
          EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_ERROR_INVALID_CONTEXT);
  });
}

}  // namespace
}  // namespace warminit::simcuda_test
