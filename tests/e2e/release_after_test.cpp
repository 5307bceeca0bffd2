#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "e2e/operated.h"
#include "warminit/os/fd.h"

/// --release-after: GPUs that nobody uses are given back.
namespace warminit::test {
namespace {

class ReleaseAfter : public testing::Test {
 protected:
  void SetUp() override {
    (void)::mknod(place_.file.c_str(), S_IFCHR | 0600, ::makedev(1, 3));
    user_ = open_it();
    if (!user_) GTEST_SKIP() << "no device file can be made and opened here";
  }
  [[nodiscard]] os::Fd open_it() const {
    return os::Fd(::open(place_.file.c_str(), O_RDWR | O_CLOEXEC));
  }
  [[nodiscard]] std::map<std::string, std::string> switches() const {
    return {{"SIMCUDA_DEVICE_FILE", place_.file}};
  }
  Place place_;
  os::Fd user_;  ///< This process uses the GPU while it is open.
};

TEST_F(ReleaseAfter, WaitsForTheLastUserAndThenGivesTheGpusBackUntilTheyAreAcquired) {
  Operated operated({"--release-after=200ms", "--health-interval=20ms"}, switches());
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const auto holder = operated.holder();
  // 40 checks are 4 times the patience.
  operated.status_until(
      [](const auto& s) { return s.at("devices").at(0).at("checks").at("passed") > 40; });
  EXPECT_EQ(operated.holder(), holder) << "we use it";

  user_ = os::Fd();
  ASSERT_TRUE(operated.process.wait_for("no other process has used the GPUs for 200 ms"));
  const auto status =
      operated.status_until([](const auto& s) { return s.at("readiness") == "released"; });
  EXPECT_EQ(status.at("devices").at(0).at("status"), "released");
  EXPECT_TRUE(status.at("holder").at("pid").is_null());

  user_ = open_it();
  EXPECT_EQ(operated.ask({"acquire"}).code, 0);
  EXPECT_EQ(operated.ask({"wait"}).code, 0);
  EXPECT_EQ(operated.status().at("holder").at("starts"), 2);
  operated.expect_command_untouched();
}

TEST_F(ReleaseAfter, GivesThemBackWithoutTheDriverWhereItHangsInIt) {
  user_ = os::Fd();
  auto environment = switches();
  environment["SIMCUDA_HANG"] = "cuDevicePrimaryCtxRelease";
  Operated operated({"--release-after=50ms"}, environment);
  ASSERT_TRUE(operated.process.wait_for("released: the GPUs are given back"));
  EXPECT_EQ(operated.status().at("holder").at("starts"), 1);
  operated.expect_command_untouched();
}

TEST_F(ReleaseAfter, IsOffUnlessAskedFor) {
  user_ = os::Fd();
  Operated operated({"--health-interval=20ms"}, switches());
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  operated.status_until(
      [](const auto& s) { return s.at("devices").at(0).at("checks").at("passed") > 20; });
  EXPECT_EQ(operated.status().at("readiness"), "ready");
}

}  // namespace
}  // namespace warminit::test
