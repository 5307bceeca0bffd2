#include "warminit/init/reaper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <memory>
#include <vector>

#include "os/child.h"

namespace warminit::init {
namespace {

using test::fork_child;
using test::in_child;
using ::testing::ElementsAre;

TEST(Reaper, ReapsAllDeathsAtOnceAndTellsEachHandlerItsStatus) {
  in_child([] {
    Reaper reaper;
    std::map<pid_t, std::vector<int>> told;
    std::vector<pid_t> children;
    for (int code = 0; code < 4; ++code) {
      const pid_t pid = fork_child([code] { ::_exit(code); });
      reaper.expect(pid, [&told, pid](int status) { told[pid].push_back(status); });
      children.push_back(pid);
    }
    for (const pid_t pid : children) test::wait_until_dead(pid);
    EXPECT_EQ(reaper.reap(), 4);
    EXPECT_EQ(reaper.reap(), 0);
    for (int code = 0; code < 4; ++code)
      EXPECT_THAT(told[children.at(static_cast<std::size_t>(code))], ElementsAre(code << 8));
    EXPECT_EQ(reaper.orphans_reaped(), 0U);
  });
}

TEST(Reaper, ForgetsAHandlerOnceItHasBeenCalled) {
  in_child([] {
    Reaper reaper;
    auto kept = std::make_shared<int>(0);
    const pid_t pid = fork_child([] {});
    reaper.expect(pid, [kept](int) { ++*kept; });
    test::wait_until_dead(pid);
    reaper.reap();
    EXPECT_EQ(*kept, 1);
    EXPECT_EQ(kept.use_count(), 1);
  });
}

TEST(Reaper, CountsOrphansThatComeToIt) {
  in_child([] {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    Reaper reaper;
    test::Pipe pipe;
    const pid_t parent = fork_child([&] {
      const pid_t orphan = ::fork();  // Not fork_child(), whose children die with their parent.
      if (orphan == 0) {
        ::alarm(60);
        ::pause();
        ::_exit(0);
      }
      EXPECT_EQ(::write(pipe.write_end.get(), &orphan, sizeof orphan), 4);
    });
    bool ended = false;
    reaper.expect(parent, [&](int) { ended = true; });
    pid_t orphan = 0;
    ASSERT_EQ(::read(pipe.read_end.get(), &orphan, sizeof orphan), 4);
    test::wait_until_dead(parent);
    EXPECT_EQ(reaper.reap(), 1);
    EXPECT_TRUE(ended);
    EXPECT_EQ(reaper.orphans_reaped(), 0U);

    ::kill(orphan, SIGKILL);
    test::wait_until_dead(orphan);
    EXPECT_EQ(reaper.reap(), 1);
    EXPECT_EQ(reaper.orphans_reaped(), 1U);
  });
}

TEST(Reaper, KnowsWhetherItIsAlone) {
  in_child([] {
    Reaper reaper;
    EXPECT_EQ(reaper.reap(), 0);
    EXPECT_TRUE(reaper.alone());
    {
      const test::Sleeper child;
      const pid_t other = fork_child([] {});
      test::wait_until_dead(other);
      EXPECT_EQ(reaper.reap(), 1);
      EXPECT_FALSE(reaper.alone());
      ::kill(child.pid(), SIGKILL);
      test::wait_until_dead(child.pid());
      EXPECT_EQ(reaper.reap(), 1);
      EXPECT_TRUE(reaper.alone());
    }
  });
}

TEST(Reaper, LetsAHandlerExpectANewChild) {
  in_child([] {
    Reaper reaper;
    std::vector<int> statuses;
    const pid_t first = fork_child([] { ::_exit(1); });
    reaper.expect(first, [&](int status) {
      statuses.push_back(status);
      const pid_t second = fork_child([] { ::_exit(2); });
      reaper.expect(second, [&](int later) { statuses.push_back(later); });
      test::wait_until_dead(second);
    });
    test::wait_until_dead(first);
    EXPECT_EQ(reaper.reap(), 2);
    EXPECT_THAT(statuses, ElementsAre(1 << 8, 2 << 8));
  });
}

TEST(Reaper, LetsAHandlerReap) {
  in_child([] {
    Reaper reaper;
    int told = 0;
    const pid_t children[] = {fork_child([] {}), fork_child([] {})};
    for (const pid_t pid : children)
      reaper.expect(pid, [&](int) {
        ++told;
        reaper.reap();
      });
    for (const pid_t pid : children) test::wait_until_dead(pid);
    reaper.reap();
    EXPECT_EQ(told, 2);
    EXPECT_TRUE(reaper.alone());
  });
}

TEST(ExitCode, IsThatOfAShell) {
  EXPECT_EQ(exit_code(0), 0);
  EXPECT_EQ(exit_code(42 << 8), 42);
  EXPECT_EQ(exit_code(255 << 8), 255);
  EXPECT_EQ(exit_code(SIGTERM), 143);
  EXPECT_EQ(exit_code(SIGKILL), 137);
  EXPECT_EQ(exit_code(SIGSEGV | 0x80), 139);  // 0x80: dumped core.
}

TEST(DescribeStatus, SaysHowItEnded) {
  EXPECT_EQ(describe_status(0), "exit code 0");
  EXPECT_EQ(describe_status(3 << 8), "exit code 3");
  EXPECT_EQ(describe_status(SIGKILL), "signal SIGKILL");
  EXPECT_EQ(describe_status(SIGSEGV | 0x80), "signal SIGSEGV (core dumped)");
  EXPECT_EQ(describe_status(SIGRTMIN + 2), "signal SIGRTMIN+2");
}

}  // namespace
}  // namespace warminit::init
