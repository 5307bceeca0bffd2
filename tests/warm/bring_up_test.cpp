#include "warminit/warm/bring_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cuda/simulated.h"
#include "warm/outcome.h"

namespace warminit::warm {
namespace {

using test::in_simulation;
using test::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Key;
using enum DeviceStatus;

TEST(BringUp, ReportsTheDriverAndEachStepOfEachDevice) {
  in_simulation({{"SIMCUDA_DEVICES", "3"}}, [](const cuda::Driver&) {
    const Outcome outcome(HoldLevel::context);
    EXPECT_FALSE(outcome.diagnosis);
    ASSERT_EQ(outcome.drivers.size(), 1U);
    const DriverReport& driver = outcome.drivers.front();
    EXPECT_EQ(driver.devices, 3);
    EXPECT_EQ(driver.version, 13000);
    EXPECT_TRUE(driver.simulated);
    EXPECT_EQ(driver.path, SIMCUDA_LIBRARY);
    EXPECT_THAT(driver.seconds, ElementsAre(Key("init"), Key("load")));
    for (const int ordinal : {0, 1, 2}) {
      EXPECT_THAT(outcome.steps(ordinal), ElementsAre(waiting, initialising, warming, ready));
      const DeviceReport& device = outcome.last(ordinal);
      EXPECT_EQ(device.level, HoldLevel::context);
      EXPECT_FALSE(device.problem);
      EXPECT_EQ(device.uuid.substr(0, 4), "GPU-");
      EXPECT_EQ(device.compute_mode, "Default");
      EXPECT_THAT(device.seconds,
                  ElementsAre(Key("copy"), Key("launch"), Key("module"), Key("retain")));
    }
  });
}

TEST(BringUp, KeepsTheContextsAtTheirLevel) {
  in_simulation({{"SIMCUDA_DEVICES", "2"}}, [](const cuda::Driver& driver) {
    Outcome outcome(HoldLevel::context);
    EXPECT_TRUE(outcome.holds(0) && outcome.holds(1));
    outcome.held.contexts.clear();
    EXPECT_NE(driver.cuDevicePrimaryCtxRelease(0), cuda::abi::CUDA_SUCCESS);
  });
}

TEST(BringUp, ReleasesTheContextsAtLevelDevice) {
  in_simulation({}, [](const cuda::Driver& driver) {
    const Outcome outcome(HoldLevel::device);
    EXPECT_FALSE(outcome.diagnosis);
    EXPECT_FALSE(outcome.holds(0));
    EXPECT_NE(driver.cuDevicePrimaryCtxRelease(0), cuda::abi::CUDA_SUCCESS);
    EXPECT_EQ(outcome.last(0).status, ready);
    EXPECT_EQ(outcome.last(0).level, HoldLevel::device);
    EXPECT_THAT(outcome.last(0).seconds, IsSupersetOf({Key("retain"), Key("release")}));
  });
}

TEST(BringUp, LeavesExclusiveAndProhibitedDevicesAlone) {
  in_simulation(
      {{"SIMCUDA_DEVICES", "3"}, {"SIMCUDA_COMPUTE_MODE", "exclusive,prohibited,default"}},
      [](const cuda::Driver&) {
        const Outcome outcome(HoldLevel::context);
        EXPECT_FALSE(outcome.diagnosis);
        EXPECT_THAT(outcome.steps(0), ElementsAre(waiting, ready));
        EXPECT_THAT(outcome.steps(1), ElementsAre(waiting, skipped));
        for (const int ordinal : {0, 1}) {
          EXPECT_FALSE(outcome.holds(static_cast<std::size_t>(ordinal)));
          EXPECT_EQ(outcome.last(ordinal).level, HoldLevel::device);
          ASSERT_TRUE(outcome.last(ordinal).problem);
          EXPECT_THAT(outcome.last(ordinal).problem->reason, HasSubstr("compute mode"));
        }
        EXPECT_TRUE(outcome.holds(2));
      });
}

}  // namespace
}  // namespace warminit::warm
