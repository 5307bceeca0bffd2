#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "os/child.h"
#include "warminit/os/spawn.h"

/// How spawn() finds its file, and what it says when it cannot execute it.
namespace warminit::os {
namespace {

using test::ScopedVariable;
using test::TemporaryFolder;

constexpr const char* kExits42 = "#!/bin/sh\nexit 42\n";

pid_t spawn_command(std::vector<std::string> argv) {
  SpawnOptions options;
  options.argv = std::move(argv);
  return spawn(options);
}

/// The exit code of `name`, searched for in `path`.
int run(const std::string& name, const std::string& path) {
  const ScopedVariable variable("PATH", path.c_str());
  const int status = test::end_of(spawn_command({name}));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Failure {
  int error = 0;
  std::string file;
};

/// Why `argv` cannot be executed.
Failure failure_of(const std::vector<std::string>& argv) {
  try {
    test::end_of(spawn_command(argv));
  } catch (const ExecError& e) {
    return {e.code().value(), e.file};
  }
  return {};
}

TEST(SpawnSearch, TakesTheFirstFolderThatHasTheFile) {
  const TemporaryFolder none;
  const TemporaryFolder first;
  const TemporaryFolder second;
  first.add("prog", kExits42, 0755);
  second.add("prog", "#!/bin/sh\nexit 43\n", 0755);
  EXPECT_EQ(run("prog", none.path() + ":" + first.path() + ":" + second.path()), 42);
  EXPECT_EQ(run("prog", "/nowhere:" + first.add("file", "") + ":" + second.path()), 43);
}

TEST(SpawnSearch, TakesAnEmptyEntryForTheCurrentFolder) {
  const TemporaryFolder folder;
  folder.add("prog", kExits42, 0755);
  test::in_child([&] {
    ASSERT_EQ(::chdir(folder.path().c_str()), 0);
    for (const char* path : {"", ":/nowhere", "/nowhere:", "/nowhere::/nowhere2"})
      EXPECT_EQ(run("prog", path), 42) << path;
  });
}

TEST(SpawnSearch, WithoutPathLooksWhereTheSystemIs) {
  const ScopedVariable variable("PATH", nullptr);
  EXPECT_EQ(test::end_of(spawn_command({"true"})), 0);
}

TEST(SpawnSearch, GoesOnBehindAFileThatIsNotExecutable) {
  const TemporaryFolder closed;
  const TemporaryFolder open;
  closed.add("prog", kExits42, 0644);
  open.add("prog", "#!/bin/sh\nexit 43\n", 0755);
  EXPECT_EQ(run("prog", closed.path() + ":" + open.path()), 43);
}

TEST(SpawnSearch, PrefersTheReasonOfAFileThatExists) {
  const TemporaryFolder closed;
  const std::string file = closed.add("prog", kExits42, 0644);
  const ScopedVariable variable("PATH", (closed.path() + ":/nowhere").c_str());
  const Failure failure = failure_of({"prog"});
  EXPECT_EQ(failure.error, EACCES);
  EXPECT_EQ(failure.file, file);
}

TEST(SpawnSearch, LooksForANameWithASlashNowhereElse) {
  const TemporaryFolder folder;
  folder.add("prog", kExits42, 0755);
  const ScopedVariable variable("PATH", folder.path().c_str());
  EXPECT_EQ(failure_of({"./prog"}).error, ENOENT);
}

TEST(SpawnSearch, NamesAScriptWhoseInterpreterIsMissing) {
  const TemporaryFolder folder;
  const TemporaryFolder behind;
  const std::string file = folder.add("prog", "#!/nowhere/python\n", 0755);
  const ScopedVariable variable("PATH", (folder.path() + ":" + behind.path()).c_str());
  EXPECT_EQ(failure_of({"prog"}).file, file);  // It was found: "not found in PATH" is wrong.
}

TEST(SpawnFailure, NamesErrnoAndFile) {
  const TemporaryFolder folder;
  const std::string text = folder.add("text", kExits42, 0644);
  const std::string no_interpreter = folder.add("script", "#!/nowhere/sh\n", 0755);
  struct Case {
    std::string name;
    int error;
  };
  const Case cases[] = {
      {"/nowhere/prog", ENOENT}, {text, EACCES},           {folder.path(), EACCES},
      {text + "/prog", ENOENT},  {no_interpreter, ENOENT}, {"", ENOENT},
  };
  for (const auto& [name, error] : cases) {
    const Failure failure = failure_of({name});
    EXPECT_EQ(failure.error, error) << name;
    EXPECT_EQ(failure.file, name);
  }
  EXPECT_EQ(failure_of({"warminit-no-such-program"}).error, ENOENT);
}

TEST(SpawnFailure, LeavesNoZombieAndNoDescriptor) {
  test::in_child([] {
    const int probe = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
    EXPECT_EQ(failure_of({"/nowhere/prog"}).error, ENOENT);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_EQ(::fcntl(probe, F_GETFD), -1);
    EXPECT_EQ(Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get(), probe);
  });
}

TEST(SpawnFailure, OfTooMuchToPassOn) {
  EXPECT_EQ(failure_of({"true", std::string(4 << 20, 'x')}).error, E2BIG);
}

TEST(SpawnShell, RunsAScriptWithoutAnInterpreterLine) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out";
  const std::string script =
      folder.add("script", "printf '%s|' \"$0\" \"$@\" > " + out + "\n", 0755);
  EXPECT_EQ(test::end_of(spawn_command({script, "a b", "", "-c"})), 0);
  const Fd file(::open(out.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(test::read_all(file.get()), script + "|a b||-c|");
}

TEST(SpawnShell, RunsAnEmptyFileAsEveryShellDoes) {
  const TemporaryFolder folder;
  EXPECT_EQ(test::end_of(spawn_command({folder.add("empty", "", 0755)})), 0);
}

TEST(SpawnShell, IsNotGivenABinaryOfAnotherMachine) {
  const TemporaryFolder folder;
  std::string header = std::string("\177ELF\2\1\1", 7) + std::string(57, '\0');
  header[16] = 2;  // ET_EXEC; e_machine stays 0, which no machine has.
  const std::string foreign = folder.add("foreign", header, 0755);
  const Failure failure = failure_of({foreign});
  EXPECT_EQ(failure.error, ENOEXEC);
  EXPECT_EQ(failure.file, foreign);
}

}  // namespace
}  // namespace warminit::os
