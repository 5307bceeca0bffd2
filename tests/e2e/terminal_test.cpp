#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <csignal>

#include "e2e/on_terminal.h"
#include "support/process.h"

namespace warminit::test {
namespace {

using Terminal = OnTerminal;

TEST_F(Terminal, IsGivenToTheCommandBeforeItRuns) {
  Process process(on_terminal(warminit({"--hold=off"}, {program("surroundings")})));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_NE(process.out().find("foreground 1\n"), std::string::npos) << process.out();
}

TEST_F(Terminal, IsHandedBackAtTheEnd) {
  Process process(on_terminal(
      {"sh", "-c",
       std::string(WARMINIT_BINARY) + " --hold=off -- true; " + program("surroundings")}));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_NE(process.out().find("foreground 1\n"), std::string::npos) << process.out();
}

TEST_F(Terminal, SendsCtrlCAndTheWindowSizeToTheCommandOnce) {
  Process process(on_terminal(warminit({"--hold=off"}, {program("signals"), "1000"})));
  ASSERT_TRUE(process.wait_for("listening"));
  ASSERT_EQ(::write(master_.get(), "\x03", 1), 1);
  ASSERT_TRUE(process.wait_for("signal " + std::to_string(SIGINT) + "\n"));
  winsize size{};
  size.ws_col = 99;
  ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  ASSERT_TRUE(process.wait_for("signal " + std::to_string(SIGWINCH) + "\n"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 3);
  EXPECT_EQ(count(process.out(), "signal " + std::to_string(SIGINT) + "\n"), 1);
  EXPECT_EQ(count(process.out(), "signal " + std::to_string(SIGWINCH) + "\n"), 1);
}

TEST_F(Terminal, OfAnotherJobIsNotTaken) {
  // `set -m` puts the background job into a group of its own, behind the shell.
  Process process(on_terminal(
      {"sh", "-mc",
       std::string(WARMINIT_BINARY) + " --hold=off -- " + program("surroundings") + " & wait"}));
  EXPECT_TRUE(process.wait_for("descriptors")) << process.err();
  EXPECT_NE(process.out().find("foreground 0\n"), std::string::npos) << process.out();
}

}  // namespace
}  // namespace warminit::test
