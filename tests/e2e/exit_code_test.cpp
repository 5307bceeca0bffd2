#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "support/process.h"

namespace warminit::test {
namespace {

/// Runs `command` without a holder; nothing here is about GPUs.
std::optional<int> run(const std::vector<std::string>& command, std::string* log = nullptr) {
  Process process({.argv = warminit({"--hold=off"}, command)});
  const auto code = process.wait();
  if (log != nullptr) *log = process.err();
  return code;
}

/// A file in a folder that goes with the object.
class Script {
 public:
  Script(const std::string& text, ::mode_t mode) {
    std::string pattern = std::filesystem::temp_directory_path() / "warminit-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(path()) << text;
    ::chmod(path().c_str(), mode);
  }
  ~Script() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ + "/script"; }

 private:
  std::string folder_;
};

TEST(ExitCode, IsTheCommandsOwnForEveryValue) {
  for (int code = 0; code < 256; ++code)
    ASSERT_EQ(run({"sh", "-c", "exit " + std::to_string(code)}), code);
}

TEST(ExitCode, Is128PlusTheSignalThatEndedTheCommand) {
  std::vector<int> numbers{SIGTERM, SIGKILL, SIGSEGV, SIGABRT, SIGHUP};
  if (!is_emulated()) numbers.push_back(SIGRTMIN);
  for (const int number : numbers)
    EXPECT_EQ(run({"sh", "-c", "kill -" + std::to_string(number) + " $$"}), 128 + number);
}

TEST(ExitCode, Is127ForACommandThatIsNotThere) {
  std::string log;
  EXPECT_EQ(run({"no-such-program"}, &log), 127);
  EXPECT_NE(log.find("'no-such-program': not found in PATH"), std::string::npos) << log;
  EXPECT_EQ(run({"/no/such/program"}), 127);
}

TEST(ExitCode, Is126ForAFileThatCannotBeExecuted) {
  std::string log;
  const Script script("#!/bin/sh\n", 0600);
  EXPECT_EQ(run({script.path()}, &log), 126);
  EXPECT_NE(log.find("not executable"), std::string::npos) << log;
  EXPECT_EQ(run({"/tmp"}), 126);
}

TEST(ExitCode, Is126ForABinaryOfAnotherMachine) {
  std::string log;
  const Script binary(std::string("\177ELF\2\1\1", 7) + std::string(100, '\0'), 0700);
  EXPECT_EQ(run({binary.path()}, &log), 126);
  EXPECT_NE(log.find("another machine"), std::string::npos) << log;
}

TEST(ExitCode, OfAScriptWithoutInterpreterLineIsItsOwn) {
  const Script script("exit $1\n", 0700);
  EXPECT_EQ(run({script.path(), "9"}), 9);
}

TEST(ExitCode, Is125WhenWarminitItselfCannotStart) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--grace=5"}, {"--no-such-option"}, {"--hold=warm"}, {"--"}, {}}) {
    Process process({.argv = warminit(options, {})});
    EXPECT_EQ(process.wait(), 125);
    EXPECT_EQ(count(process.err(), "\n"), 1) << process.err();
  }
}

TEST(ExitCode, OfPid1IsTheCommandsOwn) {
  if (!can_make_namespaces()) GTEST_SKIP() << "needs the right to make PID namespaces";
  for (const int code : {0, 1, 42, 255}) {
    Process process({.argv = warminit({"--hold=off"}, {"sh", "-c", "exit " + std::to_string(code)}),
                     .place = Process::Place::pid_namespace});
    EXPECT_EQ(process.wait(), code);
  }
}

TEST(Command, GetsItsArgumentsUntouched) {
  Process process({.argv = warminit({"--hold=off"}, {"printf", "%s\n", "[\"*\"]", "[1,2]", "[]",
                                                     "--help", "--", "", "a b"})});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "[\"*\"]\n[1,2]\n[]\n--help\n--\n\na b\n");
}

}  // namespace
}  // namespace warminit::test
