#include "warminit/warm/state.h"

#include <gtest/gtest.h>

#include <vector>

#include "warm/samples.h"

namespace warminit::warm {
namespace {

using test::device;
using test::driver_with;
using test::state_with;
using enum DeviceStatus;

const Problem kCrash{0, "signal SIGSEGV", "the driver crashed"};

TEST(State, IsPendingBeforeAnybodyHasReported) {
  State state;
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.holder_started();
  EXPECT_EQ(state.readiness(), Readiness::pending);
  EXPECT_EQ(state.count(DeviceStatus::ready), 0U);
  EXPECT_FALSE(state.driver());
  EXPECT_TRUE(state.devices().empty());
}

TEST(Readiness, FollowsFromTheDevices) {
  struct Case {
    std::vector<DeviceStatus> devices;
    Readiness expected;
  };
  const Case cases[] = {
      {{}, Readiness::not_ready},
      {{waiting}, Readiness::pending},
      {{initialising}, Readiness::pending},
      {{warming}, Readiness::pending},
      {{ready}, Readiness::ready},
      {{skipped}, Readiness::not_ready},
      {{failed}, Readiness::pending},  // Nothing to hold: the holder begins again.
      {{released}, Readiness::not_ready},
      {{lost}, Readiness::pending},
      {{ready, ready}, Readiness::ready},
      {{ready, skipped}, Readiness::ready},
      {{skipped, skipped}, Readiness::not_ready},
      {{ready, failed}, Readiness::partial},
      {{ready, released}, Readiness::partial},
      {{ready, warming}, Readiness::pending},
      {{failed, warming}, Readiness::pending},
      {{failed, skipped}, Readiness::not_ready},
      {{ready, skipped, failed}, Readiness::partial},
  };
  for (const auto& [devices, expected] : cases) {
    std::string names;
    for (const auto status : devices) names.append(to_string(status)).append(" ");
    EXPECT_EQ(to_string(state_with(devices).readiness()), to_string(expected)) << names;
  }
}

TEST(Readiness, IsPendingWhileWhatIsReadyIsBeingReleased) {
  State state = state_with({ready});
  state.holder_releasing();
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.holder_released();
  EXPECT_EQ(state.readiness(), Readiness::released);
  state = state_with({ready});
  state.holder_releasing();
  state.holder_started();
  state.apply(driver_with(1));
  state.apply(device(0, ready));
  EXPECT_EQ(state.readiness(), Readiness::ready) << "the next holder";
}

TEST(Readiness, IsPendingUntilEveryDeviceHasReported) {
  State state;
  state.apply(driver_with(2));
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.apply(device(0, ready));
  EXPECT_EQ(state.readiness(), Readiness::pending);
  EXPECT_EQ(state.count(DeviceStatus::ready), 1U);
  state.apply(device(1, ready));
  EXPECT_EQ(state.readiness(), Readiness::ready);
}

TEST(Readiness, HasAWordForEach) {
  EXPECT_EQ(to_string(Readiness::pending), "pending");
  EXPECT_EQ(to_string(Readiness::ready), "ready");
  EXPECT_EQ(to_string(Readiness::partial), "partial");
  EXPECT_EQ(to_string(Readiness::not_ready), "not ready");
  EXPECT_EQ(to_string(Readiness::released), "released");
}

TEST(State, ExpectsReportsWhileDevicesAreOnTheirWay) {
  State state;
  EXPECT_TRUE(state.expects_report());
  for (const auto& devices : {std::vector{ready, warming}, std::vector{failed}})
    EXPECT_TRUE(state_with(devices).expects_report());
  for (const auto& devices : {std::vector{ready}, std::vector{ready, failed}, std::vector{skipped}})
    EXPECT_FALSE(state_with(devices).expects_report());
}

TEST(State, ExpectsTheEndOfAHolderThatHasLostADevice) {
  State state = state_with({ready, ready, failed});
  DeviceReport report = device(1, lost);
  report.problem = Problem{719, "cuLaunchKernel: failed", ""};
  state.apply(report);
  EXPECT_TRUE(state.expects_report());
  report.problem->code = 0;  // Its file has gone: the holder stays, and looks again in its time.
  state.apply(report);
  EXPECT_EQ(state.readiness(), Readiness::pending);
  EXPECT_FALSE(state.expects_report());
  state.apply(device(0, warming));
  EXPECT_TRUE(state.expects_report());
}

TEST(State, IsReleasedUntilTheNextHolder) {
  State state = state_with({ready, failed, warming});
  state.holder_released();
  EXPECT_EQ(state.readiness(), Readiness::released);
  EXPECT_EQ(state.count(released), 3U);
  EXPECT_FALSE(state.devices().at(1).problem);
  EXPECT_EQ(state.devices().at(0).level, HoldLevel::off);
  state.holder_started();
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.holder_ended(kCrash, /*will_restart=*/false);
  state.holder_released();
  EXPECT_EQ(state.readiness(), Readiness::released) << "one that was given up, too";
  EXPECT_FALSE(state.problem());
}

TEST(State, TakesTheLatestReportOfADevice) {
  State state = state_with({warming});
  DeviceReport report = device(0, ready);
  report.name = "NVIDIA H200";
  state.apply(report);
  EXPECT_EQ(state.devices().size(), 1U);
  EXPECT_EQ(state.devices().at(0).name, "NVIDIA H200");
  EXPECT_EQ(state.readiness(), Readiness::ready);
}

TEST(State, IgnoresDevicesThatTheDriverDoesNotHave) {
  State state = state_with({ready});
  for (const int ordinal : {-1, 1, 2, 1 << 30}) state.apply(device(ordinal, failed));
  EXPECT_EQ(state.devices().size(), 1U);
  EXPECT_EQ(state.readiness(), Readiness::ready);
}

TEST(State, IgnoresDevicesBeforeTheDriver) {
  State state;
  state.holder_started();
  state.apply(device(0, ready));
  EXPECT_TRUE(state.devices().empty());
  EXPECT_EQ(state.count(DeviceStatus::ready), 0U);
}

TEST(State, KeepsTheHoldersProblemUntilTheDriverStarts) {
  State state;
  state.holder_started();
  state.apply(HolderReport{{802, "cuInit: not ready", ""}, false, 1});
  ASSERT_TRUE(state.problem());
  EXPECT_EQ(state.problem()->code, 802);
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.apply(driver_with(1));
  EXPECT_FALSE(state.problem());
}

TEST(State, LosesEveryDeviceWithTheHolder) {
  State state = state_with({ready, skipped, warming, failed});
  state.holder_ended(kCrash, /*will_restart=*/true);
  EXPECT_EQ(state.count(DeviceStatus::ready), 0U);
  EXPECT_EQ(state.problem()->reason, kCrash.reason);
  for (const int ordinal : {0, 1, 2}) {
    const DeviceReport& gone = state.devices().at(ordinal);
    EXPECT_EQ(gone.status, lost);
    EXPECT_EQ(gone.level, HoldLevel::off);
    EXPECT_EQ(gone.problem->reason, kCrash.reason);
  }
  EXPECT_EQ(state.devices().at(3).status, failed);
  EXPECT_EQ(state.devices().at(3).problem->reason, "its own reason");
}

TEST(State, IsPendingWhileTheHolderIsToStartAgain) {
  State state = state_with({ready, ready});
  state.holder_ended(kCrash, /*will_restart=*/true);
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.holder_started();
  state.apply(driver_with(2));
  state.apply(device(0, ready));
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.apply(device(1, ready));
  EXPECT_EQ(state.readiness(), Readiness::ready);
  EXPECT_FALSE(state.problem());
}

TEST(State, IsNotReadyOnceTheHolderIsGivenUp) {
  for (State state : {State(), state_with({ready}), state_with({warming})}) {
    state.holder_ended(kCrash, /*will_restart=*/false);
    EXPECT_EQ(state.readiness(), Readiness::not_ready);
    state.holder_started();  // On somebody's order.
    EXPECT_EQ(state.readiness(), Readiness::pending);
  }
}

TEST(State, ForgetsDevicesThatANewHolderDoesNotSee) {
  State state = state_with({ready, ready});
  state.holder_ended(kCrash, /*will_restart=*/true);  // A GPU has fallen off the bus.
  state.holder_started();
  state.apply(driver_with(1));
  state.apply(device(0, ready));
  EXPECT_EQ(state.devices().size(), 1U);
  EXPECT_EQ(state.readiness(), Readiness::ready);
}

TEST(State, IsPendingWhileAHolderWhoseDevicesAllFailedIsToStartAgain) {
  State state = state_with({failed, failed});
  state.holder_ended(kCrash, /*will_restart=*/true);
  EXPECT_EQ(state.readiness(), Readiness::pending);
  state.holder_started();
  state.apply(driver_with(2));
  EXPECT_EQ(state.readiness(), Readiness::pending);  // Nothing is known of the new try yet.
}

}  // namespace
}  // namespace warminit::warm
