#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "e2e/on_terminal.h"
#include "support/process.h"

/// Stop and continue, as a person at a terminal does it.
namespace warminit::test {
namespace {

class JobControl : public OnTerminal {
 protected:
  void type(const std::string& keys) {
    ASSERT_EQ(::write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  /// A shell with job control runs `script`, in which $W is warminit without a holder.
  [[nodiscard]] Process::Options in_shell(const std::string& script) const {
    auto options = on_terminal({"bash", "--norc", "-mc", script});
    options.stderr_fd = slave_.get();  // Where bash looks for its terminal.
    options.environment = {{"W", std::string(WARMINIT_BINARY) + " --hold=off --"},
                           {"SESSION", std::string(WARMINIT_BINARY) + " --hold=off --session --"}};
    return options;
  }
};

constexpr const char* kCtrlC = "\x03";
constexpr const char* kCtrlZ = "\x1a";

TEST_F(JobControl, ContinuesACommandThatNobodyElseCouldContinue) {
  auto options = on_terminal(
      warminit({"--hold=off", "--log-level=debug"}, {"sh", "-c", "echo set; exec sleep 60"}));
  if (can_make_namespaces()) options.place = Process::Place::pid_namespace;
  Process process(std::move(options));
  ASSERT_TRUE(process.wait_for("set\n"));
  type(kCtrlZ);
  ASSERT_TRUE(process.wait_for("was stopped by SIGTSTP, and nobody could continue it"));
  type(kCtrlC);
  EXPECT_EQ(process.wait(), 128 + SIGINT);
}

TEST_F(JobControl, StopsAlongSoThatTheShellGetsItsTerminalAndFgContinues) {
  // The shell comes to its second line only if warminit has stopped as its command has.
  Process process(
      in_shell("$W sh -c 'echo set; read line; echo got $line'; echo back in the shell; fg"));
  ASSERT_TRUE(process.wait_for("set\n"));
  type(kCtrlZ);
  ASSERT_TRUE(process.wait_for("back in the shell\n")) << process.err();
  type("words\n");
  EXPECT_TRUE(process.wait_for("got words\n")) << process.out() << process.err();
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(JobControl, GivesTheTerminalToABackgroundCommandThatIsBroughtToTheFront) {
  Process process(in_shell("$W sh -c 'echo set; read line; echo got $line' & sleep 0.2; fg"));
  ASSERT_TRUE(process.wait_for("set\n"));
  type("words\n");
  EXPECT_TRUE(process.wait_for("got words\n")) << process.out() << process.err();
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(JobControl, CtrlCEndsAContinuedCommandOnce) {
  Process process(
      in_shell("$W sh -c 'trap \"echo interrupted; exit 5\" INT; echo set; "
               "while read x; do echo got $x; done'; fg; echo code $?"));
  ASSERT_TRUE(process.wait_for("set\n"));
  type(kCtrlZ);
  // fg shows what it continues before it hands the terminal on: only an answer tells who has it.
  ASSERT_TRUE(process.wait_for("while")) << process.out();
  type("words\n");
  ASSERT_TRUE(process.wait_for("got words\n")) << process.out() << process.err();
  type(kCtrlC);
  EXPECT_TRUE(process.wait_for("code 5\n")) << process.out() << process.err();
  EXPECT_EQ(count(process.out(), "interrupted\n"), 1);
}

TEST_F(JobControl, ContinuesEveryProcessOfTheGroup) {
  // The shell waits for its child, which the terminal has stopped along with it.
  Process process(in_shell("$W sh -c '(echo set; read x; echo got $x); echo all'; fg"));
  ASSERT_TRUE(process.wait_for("set\n"));
  type(kCtrlZ);
  ASSERT_TRUE(process.wait_for("echo all")) << process.out();
  type("words\n");
  EXPECT_TRUE(process.wait_for("got words\nall\n")) << process.out() << process.err();
}

TEST_F(JobControl, LeavesACommandThatADebuggerStopsAlone) {
  Process process(on_terminal(warminit({"--hold=off"}, {program("signals"), "1000"})));
  ASSERT_TRUE(process.wait_for("listening"));
  const auto command = process.child_named("test_signals");
  ASSERT_TRUE(command);
  ASSERT_EQ(::kill(*command, SIGSTOP), 0);
  process.signal(SIGUSR1);
  EXPECT_FALSE(process.wait_for("signal 10\n", std::chrono::milliseconds(100)));
  ASSERT_EQ(::kill(*command, SIGCONT), 0);
  EXPECT_TRUE(process.wait_for("signal 10\n")) << process.out() << process.err();
}

TEST_F(JobControl, DoesNotTakeTheTerminalFromTheJobThatHasIt) {
  // warminit ends in the background; the shell, in front, must still be able to read.
  Process process(in_shell("$W true & wait; read line; echo got $line"));
  type("words\n");
  EXPECT_TRUE(process.wait_for("got words\n")) << process.out() << process.err();
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(JobControl, OfASessionStopsItAndItself) {
  Process process(
      in_shell("$SESSION sh -c 'echo set; sleep 60' & "
               "read x; kill -TSTP %1; "
               "until jobs %1 | grep -q Stopped; do sleep 0.05; done; echo it stopped"));
  ASSERT_TRUE(process.wait_for("set\n"));
  type("\n");
  EXPECT_TRUE(process.wait_for("it stopped\n")) << process.out();
}

}  // namespace
}  // namespace warminit::test
