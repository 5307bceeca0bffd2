#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "support/process.h"

namespace warminit::test {
namespace {

class Signals : public testing::TestWithParam<Process::Place> {
 protected:
  void SetUp() override {
    if (GetParam() == Process::Place::pid_namespace && !can_make_namespaces())
      GTEST_SKIP() << "needs the right to make PID namespaces";
  }
};

/// SIGTERM is left to the end of a test.
std::vector<int> signals_to_forward() {
  std::vector<int> numbers;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    const bool reserved = number == SIGKILL || number == SIGSTOP || number == SIGCHLD ||
                          number == SIGTERM || (number > 31 && number < SIGRTMIN);
    const bool of_a_fault = number == SIGILL || number == SIGTRAP || number == SIGBUS ||
                            number == SIGFPE || number == SIGSEGV;
    if (reserved || (is_emulated() && (of_a_fault || number >= SIGRTMIN))) continue;
    numbers.push_back(number);
  }
  return numbers;
}

INSTANTIATE_TEST_SUITE_P(, Signals,
                         testing::Values(Process::Place::here, Process::Place::pid_namespace),
                         [](const auto& test) {
                           return test.param == Process::Place::here ? "AsSubreaper" : "AsPid1";
                         });

TEST_P(Signals, AreAllForwardedToTheCommand) {
  Process process(
      {.argv = warminit({"--hold=off"}, {program("signals"), "1000"}), .place = GetParam()});
  ASSERT_TRUE(process.wait_for("listening"));
  for (const int number : signals_to_forward()) {
    process.signal(number);
    ASSERT_TRUE(process.wait_for("signal " + std::to_string(number) + "\n")) << number;
  }
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 3);
}

TEST_P(Signals, KeepTheirQueuedValue) {
  if (is_emulated()) GTEST_SKIP() << "real-time signals have other numbers under the emulator";
  Process process(
      {.argv = warminit({"--hold=off"}, {program("signals"), "3"}), .place = GetParam()});
  ASSERT_TRUE(process.wait_for("listening"));
  for (int value = 1; value <= 3; ++value) {
    sigval payload{};
    payload.sival_int = value;
    ASSERT_EQ(::sigqueue(process.pid(), SIGRTMIN + 1, payload), 0);
  }
  EXPECT_EQ(process.wait(), 0);
  const std::string name = "signal " + std::to_string(SIGRTMIN + 1);
  EXPECT_NE(process.out().find(name + " value 1\n" + name + " value 2\n" + name + " value 3\n"),
            std::string::npos)
      << process.out();
}

/// A command under warminit with `option` gets SIGTERM after `delay`; the code it all ends with.
std::optional<int> end_after(std::chrono::microseconds delay, const std::string& option,
                             Process::Place place) {
  Process process(
      {.argv = warminit({"--hold=off", "--grace=100ms", option}, {"sleep", "60"}), .place = place});
  const auto moment = std::chrono::steady_clock::now() + delay;
  while (std::chrono::steady_clock::now() < moment) {
  }
  auto code = std::optional<int>();
  // PID 1 ignores what comes before main has blocked it, as the kernel wants it: say it again.
  for (int again = 0; again < 2000 && !code; ++again) {
    process.signal(SIGTERM);
    code = process.wait(std::chrono::milliseconds(10));
  }
  return code;
}

TEST_P(Signals, ThatComeBeforeTheCommandRunsEndItAllTheSame) {
  // From the first instant on: sometimes before main, where the default action ends a process
  // that is not PID 1, sometimes while the command is being started, sometimes after.
  for (const char* target : {"--grace=100ms", "-g", "--session"})
    for (int step = 0; step < 300; ++step)
      ASSERT_EQ(end_after(step * std::chrono::microseconds(10), target, GetParam()), 128 + SIGTERM)
          << target << ", step " << step;
}

TEST_P(Signals, EndACommandThatIsHeldBackWithoutStartingIt) {
  Process process({.argv = warminit({"--wait-ready=60s"}, {"echo", "started"}),
                   .environment = simulated({{"SIMCUDA_HANG", "cuInit"}}),
                   .place = GetParam()});
  ASSERT_TRUE(process.wait_for("holding 'echo' back"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(std::chrono::seconds(5)), 128 + SIGTERM);
  EXPECT_EQ(process.out(), "");
}

TEST_P(Signals, ThatComeWhileTheCommandIsHeldBackReachItWhenItStarts) {
  Process process(
      {.argv = warminit({"--wait-ready=60s", "--init-timeout=60s"}, {program("signals"), "2"}),
       .environment = simulated({{"SIMCUDA_CONTEXT_MS", "500"}}),
       .place = GetParam(),
       .blocked = {SIGUSR1, SIGRTMIN}});
  ASSERT_TRUE(process.wait_for("holding"));
  process.signal(SIGUSR1);
  process.signal(SIGRTMIN);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(process.out(), "listening\nsignal " + std::to_string(SIGUSR1) + "\nsignal " +
                               std::to_string(SIGRTMIN) + "\n");
}

TEST_P(Signals, WithTheGroupOptionReachTheWholeProcessGroup) {
  const std::string script =
      "trap 'echo shell; wait; exit 4' USR1; "
      "sh -c 'trap \"echo child; exit\" USR1; echo child ready; while :; do sleep 1; done' & "
      "echo shell ready; wait";
  Process process(
      {.argv = warminit({"--hold=off", "-g"}, {"sh", "-c", script}), .place = GetParam()});
  ASSERT_TRUE(process.wait_for("child ready"));
  ASSERT_TRUE(process.wait_for("shell ready"));
  process.signal(SIGUSR1);
  EXPECT_TRUE(process.wait_for("shell\n"));
  EXPECT_TRUE(process.wait_for("child\n"));
}

TEST_P(Signals, MaskAndDispositionsAreTheOnesGivenToUs) {
  Process process({.argv = warminit({"--hold=off"}, {program("surroundings")}),
                   .place = GetParam(),
                   .ignored = {SIGPIPE, SIGCHLD},
                   .blocked = {SIGUSR2}});
  EXPECT_EQ(process.wait(), 0) << process.err();
  const auto bit = [](int number) { return 1ULL << static_cast<unsigned>(number - 1); };
  char expected[64];
  std::snprintf(expected, sizeof expected, "SigBlk:\t%016llx\n", bit(SIGUSR2));
  EXPECT_NE(process.out().find(expected), std::string::npos) << process.out();
  std::snprintf(expected, sizeof expected, "SigIgn:\t%016llx\n", bit(SIGPIPE) | bit(SIGCHLD));
  EXPECT_NE(process.out().find(expected), std::string::npos) << process.out();
}

TEST_P(Signals, NoDescriptorOfOursReachesTheCommand) {
  Process process({.argv = warminit({"--wait-ready"}, {program("surroundings")}),
                   .environment = simulated(),
                   .place = GetParam()});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_NE(process.out().find("descriptors 0 1 2\n"), std::string::npos) << process.out();
  EXPECT_NE(process.out().find("group leader 1\n"), std::string::npos) << process.out();
}

TEST(Hold, EndsWithZeroAtATerminatingSignal) {
  for (const int number : {SIGTERM, SIGINT}) {
    Process process({.argv = {WARMINIT_BINARY, "hold"}, .environment = simulated()});
    ASSERT_TRUE(process.wait_for("ready: 1 of 1 GPUs are ready")) << process.err();
    process.signal(number);
    EXPECT_EQ(process.wait(), 0);
  }
}

}  // namespace
}  // namespace warminit::test
