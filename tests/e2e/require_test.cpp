#include <gtest/gtest.h>

#include <csignal>

#include "support/process.h"

namespace warminit::test {
namespace {

struct Case {
  std::string name;
  std::vector<std::string> options;
  std::map<std::string, std::string> switches;
  int code;  ///< 42: the command ran. 125: it was refused.
};

class Require : public testing::TestWithParam<Case> {};

TEST_P(Require, DecidesWhetherTheCommandStarts) {
  Process process({.argv = warminit(GetParam().options, {"sh", "-c", "echo started; exit 42"}),
                   .environment = simulated(GetParam().switches)});
  EXPECT_EQ(process.wait(), GetParam().code) << process.err();
  EXPECT_EQ(process.out(), GetParam().code == 42 ? "started\n" : "") << process.err();
}

const std::map<std::string, std::string> kOneOfTwoFails{{"SIMCUDA_DEVICES", "2"},
                                                        {"SIMCUDA_FAIL", "cuMemAlloc:1:1"}};
const std::map<std::string, std::string> kAllFail{{"SIMCUDA_FAIL", "cuInit:100"}};
const std::map<std::string, std::string> kHang{{"SIMCUDA_HANG", "cuInit"}};
const std::map<std::string, std::string> kProhibited{{"SIMCUDA_COMPUTE_MODE", "prohibited"}};

INSTANTIATE_TEST_SUITE_P(
    , Require,
    testing::Values(Case{"NoneWithGpus", {"--require=none"}, {}, 42},
                    Case{"NoneWithoutGpus", {"--require=none"}, kAllFail, 42},
                    Case{"NoneWaitsAndGoesOnWithoutGpus", {"--wait-ready"}, kAllFail, 42},
                    Case{"NoneWaitsNoLongerThanTold", {"--wait-ready=100ms"}, kHang, 42},
                    Case{"AnyWithAll", {"--require=any"}, {}, 42},
                    Case{"AnyWithOneOfTwo", {"--require=any"}, kOneOfTwoFails, 42},
                    Case{"AnyWithNone", {"--require=any"}, kAllFail, 125},
                    Case{"AnyWithAHungDriver", {"--require=any", "--wait-ready=100ms"}, kHang, 125},
                    Case{"AnyWithAProhibitedDevice", {"--require=any"}, kProhibited, 125},
                    Case{"AllWithAll", {"--require=all"}, {{"SIMCUDA_DEVICES", "4"}}, 42},
                    Case{"AllWithOneOfTwo", {"--require=all"}, kOneOfTwoFails, 125},
                    Case{"AllWithNone", {"--require=all"}, kAllFail, 125},
                    Case{
                        "AllWithAHungDriver", {"--require=all", "--wait-ready=100ms"}, kHang, 125}),
    [](const auto& test) { return test.param.name; });

TEST(Hold, IsRefusedToo) {
  Process process(
      {.argv = {WARMINIT_BINARY, "hold", "--require=any"}, .environment = simulated(kAllFail)});
  EXPECT_EQ(process.wait(), 125) << process.err();
}

TEST(WaitReady, StartsTheCommandWhenTheGpusAreReady) {
  Process process({.argv = warminit({"--wait-ready"}, {"echo", "started"}),
                   .environment = simulated({{"SIMCUDA_CONTEXT_MS", "200"}})});
  ASSERT_TRUE(process.wait_for("started\n"));
  EXPECT_NE(process.err().find("ready: 1 of 1"), std::string::npos) << process.err();
  EXPECT_EQ(process.wait(), 0);
}

TEST(SideBySide, EightDevicesTakeAboutAsLongAsOne) {
  Process process(
      {.argv = warminit({"--wait-ready"}, {"true"}),
       .environment = simulated({{"SIMCUDA_DEVICES", "8"}, {"SIMCUDA_CONTEXT_MS", "2000"}})});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(process.wait(), 0);
  // One after the other would be 16 s. The ratio itself is measured by scripts/bench-sim.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace warminit::test
