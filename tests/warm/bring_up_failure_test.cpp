#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "cuda/simulated.h"
#include "warm/outcome.h"

/// What bring_up() makes of errors of the driver.
namespace warminit::warm {
namespace {

using test::in_simulation;
using test::Outcome;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum DeviceStatus;

/// Of two devices, the first fails with a code; the other goes on.
struct Case {
  const char* failure;
  DeviceStatus status;
  bool ends;  ///< The process is of no more use.
};

TEST(BringUpFailure, TellsWhatFailsOnOneDevice) {
  const Case cases[] = {
      {"cuDevicePrimaryCtxRetain:2:0", skipped, false},
      {"cuDevicePrimaryCtxRetain:46:0", skipped, false},
      {"cuDevicePrimaryCtxRetain:999:0", failed, false},
      {"cuMemAlloc:2:0", skipped, false},
      {"cuModuleLoadData:209:0", failed, false},
      {"cuDevicePrimaryCtxRetain:214:0", lost, true},
  };
  for (const auto& [failure, status, ends] : cases)
    in_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_FAIL", failure}}, [&](const cuda::Driver&) {
      const Outcome outcome(HoldLevel::context);
      EXPECT_EQ(outcome.last(0).status, status) << failure;
      EXPECT_FALSE(outcome.holds(0));
      ASSERT_TRUE(outcome.last(0).problem);
      EXPECT_THAT(std::string(failure),
                  HasSubstr(":" + std::to_string(outcome.last(0).problem->code) + ":"));
      EXPECT_EQ(outcome.diagnosis.has_value(), ends) << failure;
      if (ends)
        EXPECT_EQ(outcome.diagnosis->response, Response::restart);
      else
        EXPECT_EQ(outcome.last(1).status, ready) << failure;
    });
}

TEST(BringUpFailure, OneByOneIsToldFirstByTheDeviceThatMadeIt) {
  in_simulation({{"SIMCUDA_DEVICES", "3"}, {"SIMCUDA_FAIL", "cuLaunchKernel:719:1"}},
                [](const cuda::Driver&) {
                  const Outcome outcome(BringUp{HoldLevel::context, SIMCUDA_LIBRARY, {}, true});
                  EXPECT_EQ(outcome.last(0).status, ready);  // Done before the error came.
                  EXPECT_EQ(outcome.last(1).status, lost);
                  EXPECT_EQ(outcome.last(2).status, lost);  // After it nothing works any more.
                  EXPECT_TRUE(outcome.diagnosis);
                });
}

TEST(BringUpFailure, FailsADeviceThatComputesWrongly) {
  in_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_WRONG_RESULT", "1"}}, [](const cuda::Driver&) {
    const Outcome outcome(HoldLevel::context);
    EXPECT_EQ(outcome.last(0).status, ready);
    EXPECT_EQ(outcome.last(1).status, failed);
    EXPECT_FALSE(outcome.holds(1));
    EXPECT_THAT(outcome.last(1).problem->reason, HasSubstr("the device computed"));
  });
}

TEST(BringUpFailure, OfAWrongResultBlamesTheGpuAndNotItsSurroundings) {
  in_simulation({{"SIMCUDA_WRONG_RESULT", "0"}}, [](const cuda::Driver&) {
    const Outcome outcome(HoldLevel::context);
    EXPECT_THAT(outcome.last(0).problem->remedy, HasSubstr("the GPU has failed"));
  });
}

TEST(BringUpFailure, AsksForAFreshProcessWhenAllDevicesFail) {
  in_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_FAIL", "cuDevicePrimaryCtxRetain:999"}},
                [](const cuda::Driver&) {
                  const Outcome outcome(HoldLevel::context);
                  ASSERT_TRUE(outcome.diagnosis);
                  EXPECT_EQ(outcome.diagnosis->response, Response::restart);
                  EXPECT_EQ(outcome.diagnosis->problem.code, cuda::abi::CUDA_ERROR_UNKNOWN);
                });
}

TEST(BringUpFailure, AnswersForTheWholeProcessWhenTheDriverDoesNotStart) {
  const std::pair<const char*, Response> cases[] = {
      {"cuInit:100", Response::give_up}, {"cuInit:101", Response::give_up},
      {"cuInit:34", Response::give_up},  {"cuInit:802", Response::wait},
      {"cuInit:803", Response::give_up}, {"cuInit:304", Response::restart},
      {"cuInit:999", Response::restart}, {"cuInit:2", Response::restart},
      {"cuInit:46", Response::restart},
  };
  for (const auto& [failure, response] : cases)
    in_simulation({{"SIMCUDA_FAIL", failure}}, [&](const cuda::Driver&) {
      const Outcome outcome(HoldLevel::context);
      ASSERT_TRUE(outcome.diagnosis);
      EXPECT_EQ(outcome.diagnosis->response, response) << failure;
      EXPECT_THAT(outcome.drivers, IsEmpty());
      EXPECT_THAT(outcome.devices, IsEmpty());
    });
}

TEST(BringUpFailure, GivesUpWithoutADriver) {
  const Outcome outcome(HoldLevel::context, "/nowhere/libcuda.so.1");
  ASSERT_TRUE(outcome.diagnosis);
  EXPECT_EQ(outcome.diagnosis->response, Response::give_up);
  EXPECT_THAT(outcome.diagnosis->problem.reason, HasSubstr("/nowhere/libcuda.so.1"));
}

}  // namespace
}  // namespace warminit::warm
