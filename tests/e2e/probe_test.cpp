#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include "e2e/operated.h"

/// status --probe: a first GPU call in a fresh process.
namespace warminit::test {
namespace {

/// What a holder does only when it ends, and a probe at once: release.
std::map<std::string, std::string> at_release(const char* how) {
  return {{how, "cuDevicePrimaryCtxRelease"}};
}

int children_of(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  int found = 0;
  for (pid_t child = 0; file >> child;) ++found;
  return found;
}

TEST(Probe, TellsWhatAFreshProcessMeets) {
  Operated operated({}, {{"SIMCUDA_DEVICES", "2"}});
  ASSERT_TRUE(operated.process.wait_for("ready: 2 of 2"));
  const auto holder = operated.holder();
  const Answered answered = operated.ask({"status", "--probe"});
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(count(answered.out, "probe: a fresh process was ready after "), 1) << answered.out;
  const auto probe = operated.status("--probe").at("probe");
  EXPECT_EQ(probe.at("readiness"), "ready");
  EXPECT_EQ(probe.at("devices").size(), 2U);
  EXPECT_GT(probe.at("seconds"), 0);
  EXPECT_FALSE(probe.contains("holder"));
  EXPECT_EQ(operated.holder(), holder);
  EXPECT_EQ(operated.status().at("holder").at("starts"), 1) << "a probe is no holder";
  operated.expect_command_untouched();
}

TEST(Probe, WorksWhereNothingIsHeld) {
  Operated operated({"--hold=off"});
  operated.wait_for_socket();
  const Answered answered = operated.ask({"status", "--probe"});
  EXPECT_EQ(answered.code, 0) << answered.out << answered.err;
  EXPECT_EQ(operated.ask({"status", "--probe", "--ready"}).code, 0);
}

TEST(Probe, SaysWhatStandsInItsWay) {
  Operated operated({"--hold=off"}, {{"SIMCUDA_FAIL", "cuInit:100"}});
  operated.wait_for_socket();
  const Answered answered = operated.ask({"status", "--probe"});
  EXPECT_EQ(answered.code, 1);
  EXPECT_EQ(count(answered.out, "CUDA_ERROR_NO_DEVICE"), 1) << answered.out;
  EXPECT_EQ(count(answered.out, "to do: "), 1) << answered.out;
  EXPECT_EQ(count(answered.out, "probe: a fresh process was not ready"), 1) << answered.out;
}

TEST(Probe, ThatCrashesIsSaidAndLeavesTheHolderAlone) {
  Operated operated({}, at_release("SIMCUDA_CRASH"));
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const auto holder = operated.holder();
  const Answered answered = operated.ask({"status", "--probe"});
  EXPECT_EQ(answered.code, 1);
  EXPECT_EQ(count(answered.out, "probe: a fresh process was not ready"), 1) << answered.out;
  EXPECT_EQ(count(answered.out, "(signal SIGSEGV"), 1) << answered.out;
  EXPECT_EQ(operated.holder(), holder);
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 0);
  operated.expect_command_untouched();
}

TEST(Probe, ThatHangsIsSaidAndLeavesTheHolderAlone) {
  Operated operated({"--init-timeout=2s"}, at_release("SIMCUDA_HANG"));
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const auto holder = operated.holder();
  const Answered answered = operated.ask({"status", "--probe"});
  EXPECT_EQ(answered.code, 1);
  EXPECT_EQ(count(answered.out, "(the driver has not answered for 2000 ms, killed)"), 1)
      << answered.out;
  EXPECT_EQ(operated.holder(), holder);
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 0);
  operated.expect_command_untouched();
}

TEST(Probe, IsSharedByThoseWhoAskMeanwhile) {
  Operated operated({"--init-timeout=2s"}, at_release("SIMCUDA_HANG"));
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const std::vector<std::string> words = {"--socket=" + operated.place.socket, "status", "--probe",
                                          "--json"};
  Process first({.argv = warminit(words, {})});
  Process second({.argv = warminit(words, {})});
  ASSERT_EQ(first.wait(), 1);
  ASSERT_EQ(second.wait(), 1);
  const auto probe_in = [](const Process& client) {
    return nlohmann::json::parse(client.out()).at("probe");
  };
  EXPECT_EQ(probe_in(first), probe_in(second)) << "to the microsecond: it is the same";
}

TEST(Probe, ThatHangsDoesNotKeepInitFromEnding) {
  Operated operated({"--grace=60s"}, at_release("SIMCUDA_HANG"));
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  Process client(
      {.argv = warminit({"--socket=" + operated.place.socket, "status", "--probe"}, {})});
  while (children_of(operated.process.pid()) < 3)
    ASSERT_EQ(client.wait(std::chrono::milliseconds(1)), std::nullopt) << client.err();
  operated.expect_command_untouched();
}

}  // namespace
}  // namespace warminit::test
