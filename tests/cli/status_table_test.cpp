#include "warminit/cli/status_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warm/samples.h"
#include "warminit/warm/status.h"

namespace warminit::cli {
namespace {

using nlohmann::json;
using warm::DeviceReport;
using warm::DeviceStatus;
using warm::HoldLevel;
using warm::State;

/// As init answers it: what is known of the GPUs, and what is known without them.
json answer(const State* state, const warm::HolderFacts& facts) {
  json status = warm::status_of(state, facts);
  status["uptime_seconds"] = 61.4;
  return status;
}

/// A driver with one device, which `change` may still change.
State one_device(
    DeviceStatus status, void (*change)(DeviceReport&) = [](DeviceReport&) {}) {
  State state;
  warm::DriverReport driver = test::driver_with(1);
  driver.version = 12080;
  driver.seconds = {{"init", 0.0123}, {"load", 0.001}};
  state.apply(driver);
  DeviceReport device = test::device(0, status);
  device.name = "NVIDIA H200";
  change(device);
  state.apply(device);
  return state;
}

TEST(StatusTable, OfReadyDevices) {
  const State state = one_device(DeviceStatus::ready, [](DeviceReport& device) {
    device.seconds = {{"retain", 0.1}, {"launch", 0.00004}};
    device.checks = {12, 1, 0.0015};
    device.memory = {std::uint64_t{1000} << 20, std::uint64_t{143771} << 20};
  });
  EXPECT_EQ(status_table(answer(&state, {HoldLevel::context, 42, 1})),
            "ready: hold context, holder started 1 time, up for 61 s\n"
            "driver: CUDA 12.8 from /usr/lib/libcuda.so.1 (ms: init 12.3, load 1.0)\n"
            "GPU 0  ready        context  GPU-0  NVIDIA H200\n"
            "       ms: launch 0.0, retain 100.0\n"
            "       memory: 1000 of 143771 MiB free, when last looked at\n"
            "       checks: 12 passed, 1 failed, the last in 1.5 ms\n");
}

TEST(StatusTable, OfADeviceThatFailed) {
  const State state = one_device(DeviceStatus::failed, [](DeviceReport& device) {
    device.problem = {1, "cuMemAlloc: invalid value", "see the host's kernel log"};
  });
  EXPECT_EQ(status_table(answer(&state, {HoldLevel::context, 42, 2})),
            "pending: hold context, holder started 2 times, up for 61 s\n"
            "driver: CUDA 12.8 from /usr/lib/libcuda.so.1 (ms: init 12.3, load 1.0)\n"
            "GPU 0  failed       off      GPU-0  NVIDIA H200\n"
            "       cuMemAlloc: invalid value\n"
            "       to do: see the host's kernel log\n");
}

TEST(StatusTable, OfAHolderThatIsGone) {
  State state;
  state.holder_ended({100, "cuInit: no device", "docker run --gpus all"}, /*will_restart=*/false);
  EXPECT_EQ(status_table(answer(&state, {HoldLevel::context, std::nullopt, 1})),
            "not ready: hold context, holder started 1 time, up for 61 s\n"
            "driver: not loaded\n"
            "cuInit: no device\n"
            "to do: docker run --gpus all\n");
}

TEST(StatusTable, OfReleasedDevices) {
  State state = one_device(DeviceStatus::ready);
  state.holder_released();
  EXPECT_EQ(status_table(answer(&state, {HoldLevel::device, std::nullopt, 1})),
            "released: hold device, holder started 1 time, up for 61 s\n"
            "driver: CUDA 12.8 from /usr/lib/libcuda.so.1 (ms: init 12.3, load 1.0)\n"
            "GPU 0  released     off      GPU-0  NVIDIA H200\n");
}

TEST(StatusTable, WhereNothingIsHeld) {
  EXPECT_EQ(status_table(answer(nullptr, {HoldLevel::off, std::nullopt, 0})),
            "off: hold off, holder started 0 times, up for 61 s\n"
            "driver: not loaded\n");
}

TEST(StatusTable, SaysThatADriverIsSimulated) {
  json status = answer(nullptr, {HoldLevel::off, std::nullopt, 0});
  warm::DriverReport driver = test::driver_with(1);
  driver.simulated = true;
  status["driver"] = driver;
  EXPECT_NE(status_table(status).find(", SIMULATED: devices and times are made up (ms: )\n"),
            std::string::npos);
}

TEST(StatusTable, OfAProbeShowsOnlyWhatIsNotWell) {
  const State state = one_device(DeviceStatus::ready);
  json status = answer(&state, {HoldLevel::context, 42, 1});
  status["probe"] = {{"readiness", "not ready"},
                     {"seconds", 0.25},
                     {"ended", "signal SIGSEGV"},
                     {"problem", {{"code", 0}, {"reason", "crashed"}, {"remedy", ""}}},
                     {"devices", status.at("devices")}};
  EXPECT_EQ(status_table(status),
            "ready: hold context, holder started 1 time, up for 61 s\n"
            "driver: CUDA 12.8 from /usr/lib/libcuda.so.1 (ms: init 12.3, load 1.0)\n"
            "GPU 0  ready        context  GPU-0  NVIDIA H200\n"
            "probe: a fresh process was not ready after 250 ms (signal SIGSEGV)\n"
            "       crashed\n");
}

TEST(StatusTable, RefusesAStatusOfAnotherShape) {
  const json whole = answer(nullptr, {HoldLevel::off, std::nullopt, 0});
  for (const char* field : {"readiness", "hold", "holder", "driver", "devices", "problem"}) {
    json status = whole;
    status.erase(field);
    EXPECT_THROW((void)status_table(status), json::exception) << field;
  }
  EXPECT_THROW((void)status_table(json::array()), json::exception);
}

}  // namespace
}  // namespace warminit::cli
