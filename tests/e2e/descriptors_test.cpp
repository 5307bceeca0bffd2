#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "support/process.h"
#include "support/temporary_folder.h"

/// What the command is given, and what init does not keep of it.
namespace warminit::test {
namespace {

TEST(Inherited, DescriptorsGoToTheCommandAlone) {
  Process process(
      {.argv = {"sh", "-c",
                "exec 9>&1; exec " + std::string(WARMINIT_BINARY) +
                    " --wait-ready -- sh -c 'echo given >&9; exec 9>&-; exec sleep 60'"},
       .environment = simulated()});
  ASSERT_TRUE(process.wait_for("given\n")) << process.err();
  ASSERT_TRUE(process.wait_for("started 'sh'"));  // Init has let go before it says so.
  const auto holder = process.child_named("warminit-holder");
  ASSERT_TRUE(holder);
  for (const pid_t pid : {process.pid(), *holder})
    EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid) + "/fd/9")) << pid;
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
}

TEST(Init, LeavesItsFolderAndStandardStreamsFree) {
  Process process({.argv = warminit({"--hold=off"}, {"sh", "-c", "pwd; echo set; exec sleep 60"})});
  ASSERT_TRUE(process.wait_for("set\n"));
  const std::string of_init = "/proc/" + std::to_string(process.pid());
  EXPECT_EQ(process.out(), std::filesystem::current_path().string() + "\nset\n");
  // "set" comes from the command, so init may be about to let go: it logs after it has.
  ASSERT_TRUE(process.wait_for("started 'sh'"));
  EXPECT_EQ(std::filesystem::read_symlink(of_init + "/fd/0"), "/dev/null");
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
}

TEST(ListenPid, NamesTheCommandWhereItNamedUs) {
  Process process({.argv = {"sh", "-c",
                            "LISTEN_PID=$$ LISTEN_FDS=1 exec " + std::string(WARMINIT_BINARY) +
                                " --hold=off -- sh -c 'echo $LISTEN_PID $$'"}});
  EXPECT_EQ(process.wait(), 0);
  const auto space = process.out().find(' ');
  ASSERT_NE(space, std::string::npos) << process.out();
  EXPECT_EQ(process.out().substr(0, space) + "\n", process.out().substr(space + 1));
}

TEST(ListenPid, OfAnotherProcessIsLeftAlone) {
  Process process({.argv = warminit({"--hold=off"}, {"sh", "-c", "echo $LISTEN_PID"}),
                   .environment = {{"LISTEN_PID", "1"}}});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "1\n");
}

TEST(Limits, UmaskNicenessAndEnvironmentComeThrough) {
  Process process({.argv = {"sh", "-c",
                            "umask 027; ulimit -n 99; echo 500 >/proc/$$/oom_score_adj; "
                            "exec nice -n 5 " +
                                std::string(WARMINIT_BINARY) +
                                " --hold=off -- sh -c 'umask; ulimit -n; nice; cat "
                                "/proc/$$/oom_score_adj; echo $MINE'"},
                   .environment = {{"MINE", "a b"}}});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "0027\n99\n5\n500\na b\n");
}

TEST(Log, ThatReachesTheLimitOfAFileCostsTheCommandNothing) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer itself writes a file, before main, and dies of the limit";
#endif
  const TemporaryFolder folder;
  Process process(
      {.argv = {"sh", "-c",
                "ulimit -f 0; exec " + std::string(WARMINIT_BINARY) +
                    " --hold=off -- sh -c 'sleep 0.2; exit 3' 2>" + folder.path() + "/log"}});
  EXPECT_EQ(process.wait(), 3);
  ::unlink((folder.path() + "/log").c_str());
}

TEST(Limits, OfOpenFilesThatAreTinyStillTellWhyTheCommandCannotStart) {
  for (const char* limit : {"12", "16", "20"}) {
    Process process({.argv = {"sh", "-c",
                              "ulimit -n " + std::string(limit) + "; exec " +
                                  std::string(WARMINIT_BINARY) + " --hold=off -- /etc/passwd"}});
    EXPECT_EQ(process.wait(), 126) << limit << process.err();
  }
}

TEST(HeldBack, CommandIsNotEndedByASignalThatIsIgnored) {
  Process process({.argv = warminit({"--wait-ready=60s"}, {"echo", "ran"}),
                   .environment = simulated({{"SIMCUDA_INIT_MS", "300"}}),
                   .ignored = {SIGHUP}});
  ASSERT_TRUE(process.wait_for("holding 'echo' back"));
  process.signal(SIGHUP);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "ran\n");
}

}  // namespace
}  // namespace warminit::test
