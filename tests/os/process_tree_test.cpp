#include "warminit/os/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "os/child.h"

namespace warminit::os {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST(Descendants, OfAProcessWithoutChildrenAreNone) {
  test::in_child([] { EXPECT_THAT(descendants(::getpid()).value(), IsEmpty()); });
}

TEST(Descendants, AreChildrenAndTheirChildren) {
  test::in_child([] {
    const test::Sleeper child;
    test::Pipe pipe;
    const pid_t parent = test::fork_child([&] {
      const test::Sleeper grandchild;
      const pid_t pid = grandchild.pid();
      EXPECT_EQ(::write(pipe.write_end.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
      ::pause();
    });
    pid_t grandchild = 0;
    ASSERT_EQ(::read(pipe.read_end.get(), &grandchild, sizeof grandchild),
              static_cast<ssize_t>(sizeof grandchild));
    EXPECT_THAT(descendants(::getpid()).value(),
                UnorderedElementsAre(child.pid(), parent, grandchild));
    EXPECT_THAT(descendants(parent).value(), UnorderedElementsAre(grandchild));
    EXPECT_THAT(descendants(::getppid()).value(), Contains(grandchild));
    ::kill(parent, SIGKILL);
    test::end_of(parent);
  });
}

TEST(Descendants, LeaveZombiesOut) {
  test::in_child([] {
    const pid_t zombie = test::fork_child([] {});
    test::wait_until_dead(zombie);
    EXPECT_THAT(descendants(::getpid()).value(), Not(Contains(zombie)));
    EXPECT_EQ(test::end_of(zombie), 0);
  });
}

TEST(Descendants, AreFoundWhateverTheirName) {
  test::in_child([] {
    test::Pipe pipe;
    const pid_t child = test::fork_child([&] {
      ::prctl(PR_SET_NAME, ") Z 1 (x) ");
      EXPECT_EQ(::write(pipe.write_end.get(), ".", 1), 1);
      ::pause();
    });
    ASSERT_TRUE(test::becomes_readable(pipe.read_end.get()));
    EXPECT_THAT(descendants(::getpid()).value(), UnorderedElementsAre(child));
    ::kill(child, SIGKILL);
    test::end_of(child);
  });
}

TEST(Descendants, IncludeStoppedProcesses) {
  test::in_child([] {
    const test::Sleeper child;
    ::kill(child.pid(), SIGSTOP);
    EXPECT_EQ(::waitpid(child.pid(), nullptr, WUNTRACED), child.pid());
    EXPECT_THAT(descendants(::getpid()).value(), UnorderedElementsAre(child.pid()));
  });
}

}  // namespace
}  // namespace warminit::os
