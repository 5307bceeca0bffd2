#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/temporary_folder.h"

/// System calls that are answered with EPERM, as in a container with an old seccomp profile.
namespace warminit::test {
namespace {

class Denied : public testing::TestWithParam<Process::Place> {
 protected:
  void SetUp() override {
    if (GetParam() == Process::Place::pid_namespace && !can_make_namespaces())
      GTEST_SKIP() << "needs the right to make PID namespaces";
  }
};

INSTANTIATE_TEST_SUITE_P(, Denied,
                         testing::Values(Process::Place::here, Process::Place::pid_namespace),
                         [](const auto& test) {
                           return test.param == Process::Place::here ? "AsSubreaper" : "AsPid1";
                         });

/// What the profiles of Docker before 20.10 do not know, as far as a libc or we might use it.
const std::vector<long>& newer_calls() {
  static const std::vector<long> kCalls{
      SYS_close_range, SYS_clone3,       SYS_pidfd_open,       SYS_pwritev2,
      SYS_preadv2,     SYS_faccessat2,   SYS_openat2,          SYS_rseq,
      SYS_statx,       SYS_epoll_pwait2, SYS_pidfd_send_signal};
  return kCalls;
}

std::vector<std::string> denying(const std::vector<long>& calls,
                                 const std::vector<std::string>& program_line) {
  std::vector<std::string> argv{program("deny")};
  for (const long call : calls) argv.push_back(std::to_string(call));
  argv.emplace_back("--");
  argv.insert(argv.end(), program_line.begin(), program_line.end());
  return argv;
}

TEST_P(Denied, CallsThatAnOldProfileDoesNotKnowAreDoneWithout) {
  Process process(
      {.argv = denying(newer_calls(), warminit({"--hold=off"}, {program("orphans"), "100"})),
       .place = GetParam()});
  ASSERT_TRUE(process.wait_for("made 100")) << process.err();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_NE(process.err().find("reaped 100 orphans, forwarded 1 signals"), std::string::npos)
      << process.err();
}

TEST_P(Denied, NoDescriptorOfOursReachesTheCommandAllTheSame) {
  Process process(
      {.argv = denying({SYS_close_range}, warminit({"--wait-ready"}, {program("surroundings")})),
       .environment = simulated(),
       .place = GetParam()});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_NE(process.err().find("ready"), std::string::npos) << process.err();
  EXPECT_NE(process.out().find("descriptors 0 1 2\n"), std::string::npos) << process.out();
}

TEST_P(Denied, WritingWithoutWaitingCostsNoLineOfTheLog) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/log";
  {
    const os::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file);
    Process process({.argv = denying({SYS_pwritev2}, warminit({"--hold=off"}, {"true"})),
                     .place = GetParam(),
                     .stderr_fd = file.get()});
    EXPECT_EQ(process.wait(), 0);
  }
  std::stringstream log;
  log << std::ifstream(path).rdbuf();
  EXPECT_NE(log.str().find("exit code 0"), std::string::npos) << log.str();
}

TEST_P(Denied, ThreadsCostTheHolderAndNotTheCommand) {
  // glibc goes on to clone where clone3 is unknown (ENOSYS), and gives up where it is forbidden.
  Process process({.argv = denying({SYS_clone3}, warminit({"--restart-limit=0", "--wait-ready"},
                                                          {"sh", "-c", "exit 7"})),
                   .environment = simulated(),
                   .place = GetParam()});
  EXPECT_EQ(process.wait(), 7) << process.err();
  EXPECT_EQ(count(process.err(), "no GPU is warm: the holder: Operation not permitted"), 1)
      << process.err();
}

TEST_P(Denied, OfOneCallAtATimeTheCommandNoticesNothing) {
  std::vector<long> calls{SYS_prctl,       SYS_setpgid,  SYS_chdir,   SYS_ioctl,  SYS_kill,
                          SYS_close_range, SYS_pwritev2, SYS_getppid, SYS_getpgrp};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  calls.push_back(SYS_prlimit64);  // A sanitizer cannot do without it.
#endif
  for (const long call : calls) {
    Process process({.argv = denying({call}, warminit({"--hold=off"}, {"sh", "-c", "exit 7"})),
                     .place = GetParam()});
    EXPECT_EQ(process.wait(), 7) << "system call " << call << ": " << process.err();
  }
}

}  // namespace
}  // namespace warminit::test
