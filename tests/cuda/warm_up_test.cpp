#include "warminit/cuda/warm_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cuda/simulated.h"
#include "warminit/cuda/primary_context.h"

namespace warminit::cuda {
namespace {

using test::in_initialised_simulation;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

TEST(WarmUp, TimesEachStep) {
  in_initialised_simulation({}, [](const Driver& driver) {
    auto context = PrimaryContext::retain(driver, 0);
    ASSERT_TRUE(context);
    auto seconds = warm_up(driver);
    ASSERT_TRUE(seconds) << seconds.error().what;
    const auto sane = AllOf(Ge(0.0), Lt(10.0));
    EXPECT_THAT(*seconds, UnorderedElementsAre(Pair("module", sane), Pair("launch", sane),
                                               Pair("copy", sane)));
  });
}

TEST(WarmUp, ProvesTheDeviceOfTheCurrentContext) {
  in_initialised_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_WRONG_RESULT", "1"}},
                            [](const Driver& driver) {
                              auto broken = PrimaryContext::retain(driver, 1);
                              auto good = PrimaryContext::retain(driver, 0);
                              ASSERT_TRUE(broken && good);
                              EXPECT_TRUE(warm_up(driver));
                              ASSERT_TRUE(broken->make_current());
                              EXPECT_FALSE(warm_up(driver));
                            });
}

TEST(WarmUp, TellsAWrongResult) {
  in_initialised_simulation({{"SIMCUDA_WRONG_RESULT", "0"}}, [](const Driver& driver) {
    auto context = PrimaryContext::retain(driver, 0);
    ASSERT_TRUE(context);
    const auto seconds = warm_up(driver);
    ASSERT_FALSE(seconds);
    EXPECT_EQ(seconds.error().code, abi::CUDA_SUCCESS);
    EXPECT_THAT(seconds.error().what,
                AllOf(StartsWith("warm-up kernel: the device computed "), HasSubstr("1023")));
  });
}

TEST(WarmUp, NamesTheCallThatFailed) {
  for (const std::string function : {"cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc",
                                     "cuLaunchKernel", "cuCtxSynchronize", "cuMemcpyDtoH"})
    in_initialised_simulation({{"SIMCUDA_FAIL", function + ":304"}}, [&](const Driver& driver) {
      auto context = PrimaryContext::retain(driver, 0);
      ASSERT_TRUE(context);
      const auto seconds = warm_up(driver);
      ASSERT_FALSE(seconds) << function;
      EXPECT_EQ(seconds.error().code, abi::CUDA_ERROR_OPERATING_SYSTEM);
      EXPECT_THAT(seconds.error().what, StartsWith(function + ": CUDA_ERROR_OPERATING_SYSTEM"));
    });
}

TEST(WarmUp, WithoutAContextIsRefused) {
  in_initialised_simulation({}, [](const Driver& driver) {
    const auto seconds = warm_up(driver);
    ASSERT_FALSE(seconds);
    EXPECT_EQ(seconds.error().code, abi::CUDA_ERROR_INVALID_CONTEXT);
  });
}

/// All that is left of the memory of the current context's device, in steps of `bytes`; takes it.
void take_memory(const Driver& driver, std::size_t bytes) {
  abi::CUdeviceptr pointer = 0;
  while (driver.cuMemAlloc(&pointer, bytes) == abi::CUDA_SUCCESS) {
  }
}

TEST(WarmUp, GivesBackWhatItTook) {
  for (const char* failure : {"", "cuCtxSynchronize:304::500", "cuMemcpyDtoH:304::500"})
    in_initialised_simulation(
        {{"SIMCUDA_MEMORY_MIB", "600"}, {"SIMCUDA_FAIL", failure}}, [&](const Driver& driver) {
          auto context = PrimaryContext::retain(driver, 0);
          ASSERT_TRUE(context);
          abi::CUdeviceptr spare = 0;
          ASSERT_EQ(driver.cuMemAlloc(&spare, std::size_t{1} << 20U), abi::CUDA_SUCCESS);
          take_memory(driver, std::size_t{1} << 20U);
          ASSERT_EQ(driver.cuMemFree(spare), abi::CUDA_SUCCESS);
          // Less than 2 MiB are free, enough for 511 results at most.
          for (int i = 0; i < 500; ++i) (void)warm_up(driver);
          for (int i = 0; i < 100; ++i) EXPECT_TRUE(warm_up(driver));
        });
}

}  // namespace
}  // namespace warminit::cuda
