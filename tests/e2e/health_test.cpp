#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "e2e/operated.h"

/// What becomes of GPUs that are held, as init shows it.
namespace warminit::test {
namespace {

using nlohmann::json;

bool is_lost(const json& status) {
  return !status.at("devices").empty() && status.at("devices").at(0).at("status") == "lost";
}

/// Reads until the log has `text` so many times.
void wait_for_count(Process& process, const std::string& text, int times) {
  while (count(process.err(), text) < times) {
    const auto lines = count(process.err(), "\n");
    const auto begin = std::chrono::steady_clock::now();
    while (count(process.err(), "\n") == lines) {
      (void)process.wait_for("this never comes", std::chrono::milliseconds(100));
      ASSERT_LT(std::chrono::steady_clock::now() - begin, Process::kPatience) << process.err();
    }
  }
}

TEST(Health, CountsChecksAndIsOtherwiseSilent) {
  Operated operated({"--health-interval=20ms"}, {{"SIMCUDA_DEVICES", "2"}});
  ASSERT_TRUE(operated.process.wait_for("ready: 2 of 2"));
  const auto lines = count(operated.process.err(), "\n");
  operated.status_until(
      [](const json& s) { return s.at("devices").at(1).at("checks").at("passed") > 5; });
  EXPECT_EQ(count(operated.ask({"status"}).out, " passed, 0 failed, the last in "), 2);
  operated.expect_command_untouched();
  EXPECT_LE(count(operated.process.err(), "\n"), lines + 2) << operated.process.err();
}

class HealthOfAFile : public testing::Test {
 protected:
  void SetUp() override {
    put_back();
    if (!os::Fd(::open(place_.file.c_str(), O_RDWR | O_CLOEXEC)))
      GTEST_SKIP() << "no device file can be made and opened here";
  }
  void put_back() const { (void)::mknod(place_.file.c_str(), S_IFCHR | 0600, ::makedev(1, 3)); }
  void take_away() const { ASSERT_EQ(::unlink(place_.file.c_str()), 0); }
  [[nodiscard]] std::map<std::string, std::string> switches() const {
    return {{"SIMCUDA_DEVICE_FILE", place_.file}};
  }
  Place place_;
};

TEST_F(HealthOfAFile, IsLostWhileItIsAwayAndReadyOnceItIsBack) {
  Operated operated({"--health-interval=50ms"}, switches());
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const auto holder = operated.holder();
  take_away();
  const json status = operated.status_until(is_lost);
  EXPECT_EQ(status.at("readiness"), "pending");
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 1);
  EXPECT_EQ(count(operated.ask({"status"}).out, "no new process can use it: " + place_.file), 1);
  operated.status_until(
      [](const json& s) { return s.at("devices").at(0).at("checks").at("failed") > 3; });
  put_back();
  EXPECT_EQ(operated.ask({"wait"}).code, 0);
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 0);
  EXPECT_EQ(operated.holder(), holder) << "it never let go";
  operated.expect_command_untouched();
  EXPECT_EQ(count(operated.process.err(), " is lost: no new process can use it"), 1)
      << operated.process.err();
}

TEST_F(HealthOfAFile, IsNoHangOfTheDriverHoweverLongTheNextCheckTakes) {
  Operated operated({"--health-interval=3s", "--init-timeout=1s"}, switches());
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  take_away();
  operated.status_until(
      [](const json& s) { return s.at("devices").at(0).at("checks").at("failed") > 1; });
  EXPECT_EQ(operated.status().at("holder").at("starts"), 1) << operated.process.err();
  put_back();
  EXPECT_EQ(operated.ask({"wait"}).code, 0);
  EXPECT_EQ(count(operated.process.err(), "has not answered"), 0) << operated.process.err();
}

TEST_F(HealthOfAFile, IsNeverTheGpusFault) {
  Operated operated({"--health-interval=20ms", "--restart-delay=10ms"}, switches());
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  for (int round = 1; round <= 3; ++round) {  // Two errors of its own would leave it out.
    take_away();
    operated.status_until(is_lost);
    put_back();
    ASSERT_EQ(operated.ask({"wait"}).code, 0);
    ASSERT_EQ(::kill(*operated.holder(), SIGKILL), 0);
    operated.status_until([round](const json& s) {
      return s.at("holder").at("starts") == round + 1 && s.at("readiness") == "ready";
    });
  }
  EXPECT_EQ(count(operated.process.err(), "left out"), 0) << operated.process.err();
}

TEST(Health, StartsTheHolderAgainAfterAnErrorThatOnlyAFreshProcessSurvives) {
  Operated operated({"--health-interval=50ms", "--restart-delay=10ms"},
                    {{"SIMCUDA_STICKY_AFTER_MS", "2000"}});
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  wait_for_count(operated.process, "ready: 1 of 1", 2);
  const std::string& log = operated.process.err();
  EXPECT_EQ(count(log, " is lost: "), 1) << log;
  EXPECT_EQ(count(log, "CUDA_ERROR_LAUNCH_FAILED"), 2) << log;
  EXPECT_EQ(count(log, "starting it again in 10 ms"), 1) << log;
  EXPECT_EQ(operated.status().at("holder").at("starts"), 2);
  operated.expect_command_untouched();
}

TEST(Health, ReportsACheckThatHangsAndStartsTheHolderAgain) {
  Operated operated({"--health-interval=50ms", "--restart-delay=10ms", "--init-timeout=1s"},
                    {{"SIMCUDA_HANG", "cuLaunchKernel"}, {"SIMCUDA_HANG_AFTER_MS", "2000"}});
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const auto holder = operated.holder();
  ASSERT_TRUE(operated.process.wait_for("a health check has not ended for 1000 ms"));
  wait_for_count(operated.process, "ready: 1 of 1", 2);
  EXPECT_NE(operated.holder(), holder);
  EXPECT_EQ(operated.status().at("holder").at("starts"), 2) << operated.process.err();
  operated.expect_command_untouched();
}

TEST(Health, MissesTheChecksOfAHolderThatIsStoppedAndStartsItAgain) {
  Operated operated({"--health-interval=50ms", "--restart-delay=10ms", "--init-timeout=1s"});
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  ASSERT_EQ(::kill(*operated.holder(), SIGSTOP), 0);
  ASSERT_TRUE(operated.process.wait_for("the holder has not checked the GPUs for 2050 ms"));
  wait_for_count(operated.process, "ready: 1 of 1", 2);
  EXPECT_EQ(operated.status().at("holder").at("starts"), 2) << operated.process.err();
  operated.expect_command_untouched();
}

/// How many timers of `pid` fire again and again.
int running_clocks(pid_t pid) {
  int found = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo")) {
    std::ifstream info(entry.path());
    for (std::string line; std::getline(info, line);)
      if (line.starts_with("it_interval:") && line != "it_interval: (0, 0)") ++found;
  }
  return found;
}

TEST(Health, IsNotLookedAtWithAnIntervalOfNothing) {
  for (const auto& [option, clocks] :
       {std::pair("--health-interval=0s", 0), std::pair("--health-interval=60s", 1)}) {
    Operated operated({option});
    ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
    // Once it rests: it makes its clocks after its last report.
    const auto deadline = std::chrono::steady_clock::now() + Process::kPatience;
    while (running_clocks(*operated.holder()) != clocks)
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << option;
    EXPECT_EQ(operated.status("--probe").at("devices").at(0).at("checks").at("passed"), 0);
    EXPECT_EQ(running_clocks(*operated.holder()), clocks);
  }
}

}  // namespace
}  // namespace warminit::test
