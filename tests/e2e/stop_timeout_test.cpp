#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <csignal>

#include "support/process.h"

namespace warminit::test {
namespace {

TEST(StopTimeout, KillsACommandThatOutlivesItsSigterm) {
  for (const auto place : {Process::Place::here, Process::Place::pid_namespace}) {
    if (place == Process::Place::pid_namespace && !can_make_namespaces()) continue;
    Process process(
        {.argv = warminit({"--hold=off", "--stop-timeout=200ms"},
                          {"sh", "-c", "trap '' TERM; echo set; while :; do sleep 1; done"}),
         .place = place});
    ASSERT_TRUE(process.wait_for("set\n"));
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 128 + SIGKILL);
    EXPECT_EQ(count(process.err(), "still running 200 ms after SIGTERM, killing 'sh'"), 1)
        << process.err();
  }
}

TEST(StopTimeout, LeavesACommandThatEndsInTimeItsExitCode) {
  Process process(
      {.argv =
           warminit({"--hold=off", "--stop-timeout=60s"},
                    {"sh", "-c", "trap 'exit 4' TERM; echo set; while :; do sleep 0.05; done"})});
  ASSERT_TRUE(process.wait_for("set\n"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 4);
}

TEST(StopTimeout, PassesOnASecondSigterm) {
  Process process(
      {.argv = warminit({"--hold=off", "--stop-timeout=60s"}, {program("count_signals")})});
  // test_count_signals ends at the first; one that wants two gets both.
  ASSERT_TRUE(process.wait_for("listening"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
  Process twice(
      {.argv = warminit({"--hold=off", "--stop-timeout=60s"},
                        {"sh", "-c",
                         "n=0; trap 'n=$((n+1)); echo term $n; [ $n -lt 2 ] || exit 6' TERM; "
                         "echo set; while :; do sleep 0.05; done"})});
  ASSERT_TRUE(twice.wait_for("set\n"));
  twice.signal(SIGTERM);
  ASSERT_TRUE(twice.wait_for("term 1\n"));
  twice.signal(SIGTERM);
  EXPECT_EQ(twice.wait(), 6);
}

TEST(Remap, MakesAnExitCodeZero) {
  Process process({.argv = warminit({"--hold=off", "-e", "143"}, {"sleep", "60"})});
  ASSERT_TRUE(process.wait_for("started"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace warminit::test
