#include "warminit/os/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "os/child.h"

namespace warminit::os {
namespace {

using test::Pipe;
using test::ScopedVariable;
using test::TemporaryFolder;

/// What the program writes to its descriptor 1; it must end with exit code 0.
std::string output_of(SpawnOptions options) {
  Pipe pipe;
  options.descriptors[STDOUT_FILENO] = pipe.write_end.get();
  const pid_t pid = spawn(options);
  pipe.write_end = Fd();
  std::string text = test::read_all(pipe.read_end.get());
  EXPECT_EQ(test::end_of(pid), 0);
  return text;
}

SpawnOptions command(std::vector<std::string> argv) {
  SpawnOptions options;
  options.argv = std::move(argv);
  return options;
}

SpawnOptions shell(const std::string& script) { return command({"/bin/sh", "-c", script}); }

/// A field of /proc/self/status as the child sees it, as a number.
std::uint64_t signal_set(const std::string& status, const std::string& field) {
  const std::size_t at = status.find("\n" + field + ":");
  if (at == std::string::npos) return ~0ULL;
  return std::stoull(status.substr(at + field.size() + 2), nullptr, 16);
}

std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }

TEST(Spawn, GivesArgumentsAsTheyAre) {
  EXPECT_EQ(output_of(command({"printf", "%s|", "", "a b", "[\"*\"]", "--", "$HOME", "\xff"})),
            "|a b|[\"*\"]|--|$HOME|\xff|");
}

TEST(Spawn, ExecutesFileInPlaceOfTheFirstArgument) {
  SpawnOptions options = command({"other-name", "-c", "echo $0"});
  options.file = "/bin/sh";
  EXPECT_EQ(output_of(options), "other-name\n");
}

TEST(Spawn, SetsVariablesOnTopOfOurs) {
  const ScopedVariable kept("WARMINIT_TEST_KEPT", "kept");
  const ScopedVariable replaced("WARMINIT_TEST_REPLACED", "old");
  SpawnOptions options = shell("env | grep ^WARMINIT_TEST_ | sort");
  options.environment = {{"WARMINIT_TEST_REPLACED", "new"}, {"WARMINIT_TEST_ADDED", "a=b"}};
  EXPECT_EQ(output_of(options),
            "WARMINIT_TEST_ADDED=a=b\nWARMINIT_TEST_KEPT=kept\nWARMINIT_TEST_REPLACED=new\n");
}

TEST(Spawn, LeavesVariablesOutThatBeginSo) {
  const ScopedVariable one("WARMINIT_TEST_ONE", "1");
  const ScopedVariable two("WARMINIT_TOAST", "2");
  SpawnOptions options = shell("echo [$WARMINIT_TEST_ONE][$WARMINIT_TOAST][$WARMINIT_TEST_ADDED]");
  options.without = {"WARMINIT_TEST_"};
  options.environment = {{"WARMINIT_TEST_ADDED", "3"}};
  EXPECT_EQ(output_of(options), "[][2][3]\n");
}

TEST(Spawn, PutsTheProgramIntoAGroupOfItsOwnUnlessTold) {
  SpawnOptions options = shell("ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat");
  Pipe pipe;
  options.descriptors = {{STDOUT_FILENO, pipe.write_end.get()}};
  for (const bool own : {true, false}) {
    options.place = own ? Place::own_group : Place::our_group;
    const pid_t pid = spawn(options);
    EXPECT_EQ(test::end_of(pid), 0);
    ASSERT_TRUE(test::becomes_readable(pipe.read_end.get()));
    char text[32] = {};
    ASSERT_GT(::read(pipe.read_end.get(), text, sizeof text - 1), 0);
    EXPECT_EQ(std::stoi(text), own ? pid : ::getpgrp());
  }
}

TEST(Spawn, GivesTheMaskAndDispositionsOfItsOptions) {
  test::in_child([] {
    SpawnOptions options = command({"cat", "/proc/self/status"});
    sigemptyset(&options.signals.mask);
    sigaddset(&options.signals.mask, SIGUSR1);
    (void)block_all_signals();
    std::string status = output_of(options);
    EXPECT_EQ(signal_set(status, "SigBlk"), bit(SIGUSR1));
    EXPECT_EQ(signal_set(status, "SigIgn") & bit(SIGCHLD), 0U);

    options.signals.child_ignored = true;
    ::signal(SIGHUP, SIG_IGN);  // As under nohup: stays so.
    status = output_of(options);
    EXPECT_NE(signal_set(status, "SigIgn") & bit(SIGCHLD), 0U);
    EXPECT_NE(signal_set(status, "SigIgn") & bit(SIGHUP), 0U);
  });
}

TEST(Spawn, SwapsDescriptors) {
  Pipe a;
  Pipe b;
  const int fd_a = a.write_end.get();
  const int fd_b = b.write_end.get();
  SpawnOptions options =
      shell("echo to-a >&" + std::to_string(fd_a) + "; echo to-b >&" + std::to_string(fd_b));
  options.descriptors = {{fd_a, fd_b}, {fd_b, fd_a}};
  EXPECT_EQ(test::end_of(spawn(options)), 0);
  a.write_end = Fd();
  b.write_end = Fd();
  EXPECT_EQ(test::read_all(a.read_end.get()), "to-b\n");
  EXPECT_EQ(test::read_all(b.read_end.get()), "to-a\n");
}

TEST(Spawn, LeaksNoDescriptorOfOurs) {
  const Fd ours(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  // 0, 1, 2 and the folder that ls reads; whatever the test itself was given without CLOEXEC too.
  test::in_child([] {
    for (int fd = 3; fd < 1024; ++fd)
      if (::fcntl(fd, F_GETFD) == 0) ::close(fd);
    const std::string list = output_of(command({"ls", "/proc/self/fd"}));
    EXPECT_EQ(list, "0\n1\n2\n3\n");
  });
}

TEST(Spawn, RefusesADescriptorThatIsNotOpen) {
  SpawnOptions options = shell("true");
  options.descriptors = {{5, 1000}};
  try {
    spawn(options);
    FAIL() << "did not throw";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), EBADF);
  }
}

TEST(Spawn, TellsAFailureThoughATargetTakesThePlaceOfItsPipe) {
  const int next = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
  for (const int target : {next, next + 1}) {  // Where the ends of spawn's own pipe will be.
    SpawnOptions options = command({"/nowhere/prog"});
    options.descriptors = {{target, STDIN_FILENO}};
    EXPECT_THROW(test::end_of(spawn(options)), ExecError) << target;
  }
}

TEST(OwnExecutable, IsThisProgram) {
  EXPECT_EQ(::access(own_executable().c_str(), X_OK), 0);
  SpawnOptions options = command({"x", "--gtest_filter=None"});
  options.file = own_executable();
  EXPECT_NE(output_of(options).find("0 tests"), std::string::npos);
}

}  // namespace
}  // namespace warminit::os
