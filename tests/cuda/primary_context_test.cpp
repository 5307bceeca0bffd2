#include "warminit/cuda/primary_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cuda/simulated.h"

namespace warminit::cuda {
namespace {

using test::in_initialised_simulation;
using ::testing::StartsWith;

/// How many references to the context of `device` are open; closes them.
int references(const Driver& driver, abi::CUdevice device) {
  int count = 0;
  while (driver.cuDevicePrimaryCtxRelease(device) == abi::CUDA_SUCCESS) ++count;
  return count;
}

TEST(PrimaryContext, HoldsOneReference) {
  in_initialised_simulation({}, [](const Driver& driver) {
    auto context = PrimaryContext::retain(driver, 0);
    ASSERT_TRUE(context) << context.error().what;
    EXPECT_EQ(references(driver, 0), 1);
  });
}

TEST(PrimaryContext, ReleasesItWhenDestroyed) {
  in_initialised_simulation({}, [](const Driver& driver) {
    ASSERT_TRUE(PrimaryContext::retain(driver, 0));
    EXPECT_EQ(references(driver, 0), 0);
  });
}

TEST(PrimaryContext, IsCurrentOnceRetained) {
  in_initialised_simulation({{"SIMCUDA_DEVICES", "2"}}, [](const Driver& driver) {
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_INVALID_CONTEXT);
    auto first = PrimaryContext::retain(driver, 0);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    auto second = PrimaryContext::retain(driver, 1);
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(first->make_current());
    *second = std::move(*first);  // Device 1's context is gone; the current one is not.
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
  });
}

TEST(PrimaryContext, IsMadeCurrentOnAnotherThread) {
  in_initialised_simulation({}, [](const Driver& driver) {
    auto context = PrimaryContext::retain(driver, 0);
    ASSERT_TRUE(context);
    std::thread([&] {
      EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_INVALID_CONTEXT);
      EXPECT_TRUE(context->make_current());
      EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    }).join();
  });
}

TEST(PrimaryContext, ThatWasMovedFromReleasesNothing) {
  in_initialised_simulation({}, [](const Driver& driver) {
    std::optional<PrimaryContext> kept;
    {
      auto context = PrimaryContext::retain(driver, 0);
      ASSERT_TRUE(context);
      kept.emplace(std::move(*context));
    }
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    kept.reset();
    EXPECT_EQ(references(driver, 0), 0);
  });
}

TEST(PrimaryContext, ReleasesTheOldOneOnAssignment) {
  in_initialised_simulation({{"SIMCUDA_DEVICES", "2"}}, [](const Driver& driver) {
    auto first = PrimaryContext::retain(driver, 0);
    auto second = PrimaryContext::retain(driver, 1);
    ASSERT_TRUE(first && second);
    *first = std::move(*second);
    EXPECT_EQ(references(driver, 0), 0);
    EXPECT_EQ(references(driver, 1), 1);
  });
}

TEST(PrimaryContext, TakesTheLeastMemory) {
  // 600 MiB: room for 300 beside a context with the smallest stack, not beside a usual one.
  in_initialised_simulation({{"SIMCUDA_MEMORY_MIB", "600"}}, [](const Driver& driver) {
    auto context = PrimaryContext::retain(driver, 0);
    ASSERT_TRUE(context);
    abi::CUdeviceptr pointer = 0;
    EXPECT_EQ(driver.cuMemAlloc(&pointer, std::size_t{300} << 20U), abi::CUDA_SUCCESS);
  });
}

TEST(PrimaryContext, NamesTheCallThatTheDriverRefused) {
  for (const std::string function : {"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"})
    in_initialised_simulation({{"SIMCUDA_FAIL", function + ":2"}}, [&](const Driver& driver) {
      {
        const auto context = PrimaryContext::retain(driver, 0);
        ASSERT_FALSE(context);
        EXPECT_EQ(context.error().code, abi::CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_THAT(context.error().what, StartsWith(function + ": CUDA_ERROR_OUT_OF_MEMORY"));
      }
      EXPECT_EQ(references(driver, 0), 0) << function;
    });
}

TEST(PrimaryContext, ThatWasRefusedTakesNoReferenceOfAnother) {
  in_initialised_simulation({{"SIMCUDA_FAIL", "cuDevicePrimaryCtxRetain:2::1"}},
                            [](const Driver& driver) {
                              EXPECT_FALSE(PrimaryContext::retain(driver, 0));
                              auto context = PrimaryContext::retain(driver, 0);
                              ASSERT_TRUE(context);
                              EXPECT_EQ(references(driver, 0), 1);
                            });
}

TEST(PrimaryContext, DoesWithoutWhatOnlySavesSomething) {
  for (const std::string refused : {"cuDevicePrimaryCtxSetFlags:1", "cuCtxSetLimit:1"})
    in_initialised_simulation({{"SIMCUDA_FAIL", refused}}, [&](const Driver& driver) {
      EXPECT_TRUE(PrimaryContext::retain(driver, 0)) << refused;
    });
}

TEST(PrimaryContext, IsRefusedOnAProhibitedDevice) {
  in_initialised_simulation({{"SIMCUDA_COMPUTE_MODE", "prohibited"}}, [](const Driver& driver) {
    EXPECT_FALSE(PrimaryContext::retain(driver, 0));
    EXPECT_EQ(references(driver, 0), 0);
  });
}

}  // namespace
}  // namespace warminit::cuda
