#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "support/process.h"

namespace warminit::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Orphans : public testing::TestWithParam<Process::Place> {
 protected:
  void SetUp() override {
    if (GetParam() == Process::Place::pid_namespace && !can_make_namespaces())
      GTEST_SKIP() << "needs the right to make PID namespaces";
    if (GetParam() == Process::Place::here && is_emulated())
      GTEST_SKIP() << "the emulator knows no subreapers";
  }
};

INSTANTIATE_TEST_SUITE_P(, Orphans,
                         testing::Values(Process::Place::here, Process::Place::pid_namespace),
                         [](const auto& test) {
                           return test.param == Process::Place::here ? "AsSubreaper" : "AsPid1";
                         });

TEST_P(Orphans, AreReaped) {
  Process process(
      {.argv = warminit({"--hold=off"}, {program("orphans"), "1000"}), .place = GetParam()});
  ASSERT_TRUE(process.wait_for("made 1000"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_NE(process.err().find("reaped 1000 orphans"), std::string::npos) << process.err();
}

TEST_P(Orphans, ThatCleanUpHaveTheirTimeToDoSo) {
  Process process({.argv = warminit({"--hold=off", "--grace=30s"},
                                    {"sh", "-c",
                                     "setsid sh -c 'trap \"echo cleaned up; exit\" TERM; echo set; "
                                     "while :; do sleep 0.05; done' & wait"}),
                   .place = GetParam()});
  ASSERT_TRUE(process.wait_for("set\n"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_NE(process.out().find("cleaned up\n"), std::string::npos);
}

TEST_P(Orphans, ThatDoNotEndAreKilledAfterTheGracePeriod) {
  Process process(
      {.argv = warminit({"--hold=off", "--grace=200ms"}, {program("orphans"), "3", "stubborn"}),
       .place = GetParam()});
  ASSERT_TRUE(process.wait_for("made 3"));
  const auto begin = Clock::now();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_GE(Clock::now() - begin, milliseconds(200));
  EXPECT_NE(process.err().find("still running after 200 ms, killing"), std::string::npos);
  EXPECT_NE(process.err().find("reaped 3 orphans"), std::string::npos) << process.err();
}

TEST_P(Orphans, ThatAreStoppedEndToo) {
  Process process(
      {.argv = warminit({"--hold=off", "--grace=30s"},
                        {"sh", "-c", "sh -c 'kill -STOP $$' & sh -c 'echo made'; wait"}),
       .place = GetParam()});
  ASSERT_TRUE(process.wait_for("made\n"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(milliseconds(15000)), 128 + SIGTERM);
}

TEST_P(Orphans, AreNotWaitedForWhenThereAreNone) {
  const auto begin = Clock::now();
  Process process({.argv = warminit({"--hold=off", "--grace=20s"}, {"true"}), .place = GetParam()});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_LT(Clock::now() - begin, milliseconds(10000));
}

TEST(Shutdown, LeavesProcessesAloneThatAreNotOurs) {
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  Process process({.argv = warminit({"--hold=off"}, {program("orphans"), "2", "stay"})});
  ASSERT_TRUE(process.wait_for("made 2"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_EQ(::waitpid(stranger, nullptr, WNOHANG), 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

TEST(Shutdown, EndsWithinTheGraceTimeWhenTheHolderIsStopped) {
  Process process({.argv = warminit({"--grace=10s"}, {"sleep", "60"}), .environment = simulated()});
  ASSERT_TRUE(process.wait_for("ready: 1 of 1 GPUs are ready")) << process.err();
  const auto holder = process.child_named("warminit-holder");
  ASSERT_TRUE(holder);
  ASSERT_EQ(::kill(*holder, SIGSTOP), 0);
  const auto begin = Clock::now();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_LT(Clock::now() - begin, milliseconds(10000));
}

}  // namespace
}  // namespace warminit::test
