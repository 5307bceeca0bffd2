#include <gtest/gtest.h>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(SimulatedMemory, KnowsItsPointers) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUdeviceptr pointer = 0;
    char byte = 1;
    ASSERT_EQ(driver.cuMemAlloc(&pointer, 8), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemcpyDtoH(&byte, pointer + 7, 1), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemcpyDtoH(nullptr, pointer, 0), abi::CUDA_SUCCESS);
    constexpr abi::CUresult kInvalid = abi::CUDA_ERROR_INVALID_VALUE;
    EXPECT_EQ(driver.cuMemcpyDtoH(&byte, pointer + 8, 1), kInvalid);
    EXPECT_EQ(driver.cuMemcpyDtoH(&byte, pointer - 1, 1), kInvalid);
    EXPECT_EQ(driver.cuMemcpyDtoH(nullptr, pointer, 1), kInvalid);
    EXPECT_EQ(driver.cuMemFree(pointer + 1), kInvalid);
    EXPECT_EQ(driver.cuMemFree(0), kInvalid);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 0), kInvalid);
    EXPECT_EQ(driver.cuMemAlloc(nullptr, 1), kInvalid);
    EXPECT_EQ(driver.cuMemFree(pointer), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemFree(pointer), kInvalid);
    EXPECT_EQ(driver.cuMemcpyDtoH(&byte, pointer, 1), kInvalid);
  });
}

TEST(SimulatedMemory, SaysHowMuchIsFree) {
  simulate({{"SIMCUDA_MEMORY_MIB", "1000"}}, [](const Driver& driver) {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(driver.cuMemGetInfo(&free, &total), abi::CUDA_ERROR_NOT_INITIALIZED);
    enter(driver);
    ASSERT_EQ(driver.cuMemGetInfo(&free, &total), abi::CUDA_SUCCESS);
    EXPECT_EQ(total, 1000 * kMiB);
    EXPECT_EQ(free, (1000 - 527) * kMiB);  // The context itself takes the rest.
    abi::CUdeviceptr pointer = 0;
    ASSERT_EQ(driver.cuMemAlloc(&pointer, 73 * kMiB), abi::CUDA_SUCCESS);
    ASSERT_EQ(driver.cuMemGetInfo(&free, &total), abi::CUDA_SUCCESS);
    EXPECT_EQ(free, 400 * kMiB);
    EXPECT_EQ(driver.cuMemGetInfo(nullptr, &total), abi::CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(SimulatedMemory, MayBeMoreThanTheMachineHas) {
  simulate({}, [](const Driver& driver) {
    enter(driver);
    abi::CUdeviceptr pointer = 0;
    char byte = 1;
    ASSERT_EQ(driver.cuMemAlloc(&pointer, 143000 * kMiB), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemcpyDtoH(&byte, pointer + 142999 * kMiB, 1), abi::CUDA_SUCCESS);
    EXPECT_EQ(byte, 0);
  });
}

TEST(SimulatedMemory, IsSharedByTheContextAndItsAllocations) {
  simulate({{"SIMCUDA_MEMORY_MIB", "600"}}, [](const Driver& driver) {
    enter(driver);
    std::size_t bytes = 0;
    EXPECT_EQ(driver.cuDeviceTotalMem(&bytes, 0), abi::CUDA_SUCCESS);
    EXPECT_EQ(bytes, 600 * kMiB);
    abi::CUdeviceptr pointer = 0;
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 74 * kMiB), abi::CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 73 * kMiB), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 1), abi::CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(driver.cuMemFree(pointer), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, ~std::size_t{0}), abi::CUDA_ERROR_OUT_OF_MEMORY);
  });
}

TEST(SimulatedMemory, IsLessTakenByAContextWithTheSmallestStack) {
  simulate({{"SIMCUDA_MEMORY_MIB", "600"}}, [](const Driver& driver) {
    enter(driver);
    abi::CUdeviceptr pointer = 0;
    EXPECT_EQ(driver.cuCtxSetLimit(abi::CU_LIMIT_STACK_SIZE, 1024), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 337 * kMiB), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSetLimit(abi::CU_LIMIT_STACK_SIZE, 1025), abi::CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(driver.cuMemFree(pointer), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuCtxSetLimit(abi::CU_LIMIT_STACK_SIZE, 1025), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 337 * kMiB), abi::CUDA_ERROR_OUT_OF_MEMORY);
  });
}

TEST(SimulatedMemory, MayBeTooLittleForAContext) {
  simulate({{"SIMCUDA_MEMORY_MIB", "526"}}, [](const Driver& driver) {
    abi::CUcontext context = nullptr;
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), abi::CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_ERROR_INVALID_CONTEXT);
  });
}

}  // namespace
}  // namespace warminit::simcuda_test
