#include "warminit/warm/status.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warm/samples.h"

namespace warminit::warm {
namespace {

using nlohmann::json;
using test::state_with;
using enum DeviceStatus;

const HolderFacts kHolding{HoldLevel::context, 42, 3};

TEST(Status, TellsDriverDevicesAndHolder) {
  const State state = state_with({ready, skipped});
  const json status = status_of(&state, kHolding);
  EXPECT_EQ(status.at("readiness"), "ready");
  EXPECT_EQ(status.at("ready"), true);
  EXPECT_EQ(status.at("hold"), "context");
  EXPECT_EQ(status.at("driver").at("path"), "/usr/lib/libcuda.so.1");
  EXPECT_EQ(status.at("driver").at("version"), 13000);
  EXPECT_EQ(status.at("problem"), nullptr);
  EXPECT_EQ(status.at("holder"), (json{{"pid", 42}, {"starts", 3}}));
  ASSERT_EQ(status.at("devices").size(), 2U);
  EXPECT_EQ(status.at("devices").at(0).at("uuid"), "GPU-0");
  EXPECT_EQ(status.at("devices").at(0).at("status"), "ready");
  EXPECT_EQ(status.at("devices").at(1).at("problem").at("reason"), "its own reason");
}

TEST(Status, OfADeviceHasChecksAndMemory) {
  State state = state_with({ready});
  DeviceReport report = test::device(0, ready);
  report.checks = {7, 2, 0.5};
  report.memory = {100, 1000};
  state.apply(report);
  const json device = status_of(&state, kHolding).at("devices").at(0);
  EXPECT_EQ(device.at("checks"), (json{{"passed", 7}, {"failed", 2}, {"last_seconds", 0.5}}));
  EXPECT_EQ(device.at("memory"), (json{{"free_bytes", 100}, {"total_bytes", 1000}}));
}

TEST(Status, BeforeAnythingIsKnownIsPending) {
  const State state;
  const json status = status_of(&state, {HoldLevel::device, std::nullopt, 0});
  EXPECT_EQ(status.at("readiness"), "pending");
  EXPECT_EQ(status.at("ready"), false);
  EXPECT_EQ(status.at("hold"), "device");
  EXPECT_EQ(status.at("driver"), nullptr);
  EXPECT_EQ(status.at("devices"), json::array());
  EXPECT_EQ(status.at("holder"), (json{{"pid", nullptr}, {"starts", 0}}));
}

TEST(Status, IsReadyOnlyWhereEveryDeviceIs) {
  for (const auto& devices : {std::vector{ready, failed}, std::vector{ready, lost},
                              std::vector{ready, warming}, std::vector{skipped}}) {
    const State state = state_with(devices);
    EXPECT_EQ(status_of(&state, kHolding).at("ready"), false) << devices.size();
  }
}

TEST(Status, SaysWhyTheHolderIsGone) {
  State state = state_with({ready});
  state.holder_ended({719, "cuLaunchKernel: failed", "see the log"}, /*will_restart=*/false);
  const json status = status_of(&state, {HoldLevel::context, std::nullopt, 11});
  EXPECT_EQ(status.at("readiness"), "not ready");
  EXPECT_EQ(status.at("problem"),
            (json{{"code", 719}, {"reason", "cuLaunchKernel: failed"}, {"remedy", "see the log"}}));
  EXPECT_EQ(status.at("devices").at(0).at("status"), "lost");
}

TEST(Status, SaysThatTheGpusAreGivenBack) {
  State state = state_with({ready, failed});
  state.holder_released();
  const json status = status_of(&state, {HoldLevel::context, std::nullopt, 1});
  EXPECT_EQ(status.at("readiness"), "released");
  EXPECT_EQ(status.at("ready"), false);
  for (const json& device : status.at("devices")) {
    EXPECT_EQ(device.at("status"), "released");
    EXPECT_EQ(device.at("level"), "off");
    EXPECT_FALSE(device.contains("problem"));
  }
}

TEST(Status, IsOffWhereNothingIsHeld) {
  const State state = state_with({ready});
  for (const State* known : {&state, static_cast<const State*>(nullptr)}) {
    const json status = status_of(known, {HoldLevel::off, std::nullopt, 0});
    EXPECT_EQ(status.at("readiness"), "off");
    EXPECT_EQ(status.at("ready"), false);
    EXPECT_EQ(status.at("driver"), nullptr);
    EXPECT_EQ(status.at("problem"), nullptr);
    EXPECT_EQ(status.at("devices"), json::array());
  }
}

}  // namespace
}  // namespace warminit::warm
