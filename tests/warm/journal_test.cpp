#include "warminit/warm/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "warm/log_capture.h"
#include "warm/samples.h"

namespace warminit::warm {
namespace {

using test::device;
using test::driver_with;
using test::state_with;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using enum DeviceStatus;

class JournalTest : public ::testing::Test {
 protected:
  /// What has been logged since the last call.
  std::string logged() { return log_.take(); }

  test::LogCapture log_;
  Journal journal_;
};

TEST_F(JournalTest, TellsOfTheDriverOnce) {
  DriverReport report = driver_with(1);
  report.version = 12080;
  report.seconds = {{"init", 0.1234}};
  journal_.on_report(report);
  EXPECT_EQ(logged(),
            "driver|info|driver for CUDA 12.8 from /usr/lib/libcuda.so.1 shows 1 device"
            " (init 123.4 ms)\n");
  journal_.on_report(report);  // Of the next holder.
  EXPECT_THAT(logged(), IsEmpty());
  report.devices = 2;
  journal_.on_report(report);
  EXPECT_THAT(logged(), HasSubstr("shows 2 devices"));
}

TEST_F(JournalTest, SaysLoudlyThatADriverIsSimulated) {
  DriverReport report = driver_with(1);
  report.simulated = true;
  journal_.on_report(report);
  EXPECT_THAT(logged(), HasSubstr("simulated|info|a SIMULATED driver"));
}

TEST_F(JournalTest, TellsOfADeviceThatIsReadyByItsUuid) {
  DeviceReport report = device(3, ready);
  report.name = "NVIDIA H200";
  report.seconds = {{"retain", 0.2}};
  journal_.on_report(report);
  EXPECT_EQ(logged(),
            "device|info|GPU 3 GPU-3 (NVIDIA H200) is ready at level context (retain 200.0 ms)\n");
}

TEST_F(JournalTest, TellsBadNewsOfADeviceOnce) {
  DeviceReport report = device(0, failed);
  report.problem = Problem{999, "cuInit: why", "do that"};
  journal_.on_report(report);
  EXPECT_THAT(logged(), MatchesRegex("device\\|warning\\|GPU 0 .* is failed: "
                                     "cuInit: why; do that\n"));
  journal_.on_report(report);
  EXPECT_THAT(logged(), IsEmpty());
  journal_.on_report(HolderReport{*report.problem, false, 0});  // Its end has the same reason.
  EXPECT_THAT(logged(), IsEmpty());
  report.ordinal = 1;
  journal_.on_report(report);
  EXPECT_THAT(logged(), HasSubstr("GPU 1"));
}

TEST_F(JournalTest, TellsAProblemOfTheHolderOnceHoweverOftenItTries) {
  const HolderReport not_ready{{802, "cuInit: not ready", "start it"}, false, 1};
  journal_.on_report(not_ready);
  EXPECT_EQ(logged(), "problem|warning|no GPU is warm: cuInit: not ready; start it\n");
  for (int i = 0; i < 10; ++i) journal_.on_report(not_ready);
  EXPECT_THAT(logged(), IsEmpty());
}

TEST_F(JournalTest, ForgetsToTellRatherThanFillMemory) {
  for (int i = 0; i < 1000; ++i)
    journal_.on_report(HolderReport{{0, "reason " + std::to_string(i), ""}, false, 0});
  const std::string text = logged();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100);
}

TEST_F(JournalTest, TellsWhenTheReadinessChanges) {
  journal_.on_state(state_with({ready, warming}));
  EXPECT_THAT(logged(), IsEmpty());
  journal_.on_state(state_with({ready, ready}));
  EXPECT_THAT(logged(),
              MatchesRegex("ready\\|info\\|ready: 2 of 2 GPUs are ready after [0-9]+ ms\n"));
  journal_.on_state(state_with({ready, ready}));
  EXPECT_THAT(logged(), IsEmpty());
  journal_.on_state(state_with({ready, failed}));
  EXPECT_THAT(logged(), HasSubstr("failed|warning|partial: 1 of 2 GPUs are ready"));
  journal_.on_state(state_with({}));
  EXPECT_THAT(logged(), HasSubstr("failed|warning|not ready: no GPU is known"));
}

TEST_F(JournalTest, TellsOfEachNewEndOfTheHolder) {
  const Problem crash{0, "signal SIGSEGV", "the driver crashed"};
  journal_.on_holder_end(crash, "starting it again in 1000 ms");
  EXPECT_EQ(logged(),
            "holder|warning|the holder ended (signal SIGSEGV; the driver crashed), "
            "starting it again in 1000 ms\n");
  journal_.on_holder_end(crash, "starting it again in 1000 ms");
  EXPECT_THAT(logged(), IsEmpty());
  journal_.on_holder_end({999, "cuInit: why", "told already"}, "not starting it again");
  EXPECT_EQ(logged(), "holder|warning|the holder ended (cuInit: why), not starting it again\n");
}

TEST_F(JournalTest, HasNoNewsOfTheStateOnceClosed) {
  journal_.close();
  journal_.on_state(state_with({ready}));
  EXPECT_THAT(logged(), IsEmpty());
}

}  // namespace
}  // namespace warminit::warm
