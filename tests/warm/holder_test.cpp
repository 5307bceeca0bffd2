#include "warminit/warm/holder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace warminit::warm {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::StartsWith;

HolderOptions some_options() {
  HolderOptions options;
  options.level = HoldLevel::device;
  options.driver_library = "/a path/libcuda.so.1";
  options.init_timeout = 90s;
  return options;
}

TEST(HolderArguments, SayWhatIsToBeHeld) {
  EXPECT_THAT(holder_arguments(some_options()),
              ElementsAre("warminit-holder", "holder", "--hold=device",
                          "--driver-library=/a path/libcuda.so.1", "--init-timeout=90000ms",
                          "--health-interval=60000ms"));
}

TEST(HolderArguments, SayWhenNobodyNeedsItAnyMore) {
  HolderOptions options = some_options();
  options.release_after = 10min;
  EXPECT_THAT(holder_arguments(options), Contains("--release-after=600000ms"));
}

TEST(HolderArguments, LeaveOutWhatOnlyAHolderThatBeginsAgainNeeds) {
  const auto arguments = holder_arguments(some_options());
  EXPECT_THAT(arguments, Not(Contains(StartsWith("--wait-until"))));
  EXPECT_THAT(arguments, Not(Contains("--without-mps")));
}

}  // namespace
}  // namespace warminit::warm
