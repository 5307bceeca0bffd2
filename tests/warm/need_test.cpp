#include "warminit/warm/need.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/temporary_folder.h"
#include "warminit/os/fd.h"

namespace warminit::warm {
namespace {

using namespace std::chrono_literals;

TEST(Need, IsNeverOverWhereNoDeviceFileIsKnown) {
  Need need({}, 1ms);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(need.is_over());
}

TEST(Need, IsOverAfterSoManyLooksAtWhichNobodyHadAFileOpen) {
  Need need({"/dev/no such file"}, 40ms);
  ASSERT_EQ(need.interval(), 10ms);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(need.is_over()) << i;
  EXPECT_TRUE(need.is_over());
}

TEST(Need, IsNotOursThoughWeHaveTheFileOpen) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/device";
  const os::Fd ours(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  Need need({path}, 4ms);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(need.is_over());
  EXPECT_TRUE(need.is_over());
}

TEST(Need, IsLookedAtOftenEnoughForLongTimesAndSeldomEnoughForShortOnes) {
  EXPECT_EQ(Need({}, 24h).interval(), 10s);
  EXPECT_EQ(Need({}, 20s).interval(), 5s);
  EXPECT_EQ(Need({}, 2ms).interval(), 1ms);
}

}  // namespace
}  // namespace warminit::warm
