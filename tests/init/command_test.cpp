#include "warminit/init/command.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "init/running.h"
#include "os/child.h"
#include "support/process.h"
#include "warminit/os/spawn.h"

namespace warminit::init {
namespace {

using test::in_child;
using test::Running;

os::Signal plain(int number) { return {.number = number, .sender = 1}; }

os::Signal queued(int number, int value) {
  os::Signal signal{.number = number, .sender = 1, .queued = true};
  signal.value.sival_int = value;
  return signal;
}

std::string line(int number) { return "signal " + std::to_string(number) + "\n"; }

std::string line(int number, int value) {
  return "signal " + std::to_string(number) + " value " + std::to_string(value) + "\n";
}

TEST(Command, GivesItsExitCodeOnce) {
  in_child([] {
    Running world({"/bin/sh", "-c", "exit 42"});
    EXPECT_FALSE(world.command.pid());
    world.start();
    EXPECT_TRUE(world.command.pid());
    world.loop.run();
    EXPECT_EQ(world.code, 42);
    EXPECT_EQ(world.endings, 1);
    EXPECT_FALSE(world.command.pid());
  });
}

TEST(Command, GivesTheSignalThatEndedItAsAShellDoes) {
  in_child([] {
    Running world({"/bin/sh", "-c", "kill -9 $$"});
    world.start();
    world.loop.run();
    EXPECT_EQ(world.code, 137);
  });
}

TEST(Command, ThatCannotBeExecutedThrows) {
  in_child([] {
    Running world({"/nowhere/prog"});
    EXPECT_THROW(world.start(), os::ExecError);
    EXPECT_FALSE(world.command.pid());
    world.command.forward(plain(SIGTERM));  // Goes nowhere.
    EXPECT_EQ(world.command.signals_forwarded(), 0U);
  });
}

TEST(Command, IsToldSignalsWithTheirValues) {
  in_child([] {
    Running world({test::program("signals"), "3"});
    world.start();
    world.wait_for("listening\n");
    world.command.forward(plain(SIGUSR1));
    world.wait_for(line(SIGUSR1));
    world.command.forward(queued(SIGUSR1, 17));
    world.wait_for(line(SIGUSR1, 17));
    world.command.forward(queued(SIGRTMIN + 3, -4));
    EXPECT_NE(world.finish().find(line(SIGRTMIN + 3, -4)), std::string::npos);
    EXPECT_EQ(world.command.signals_forwarded(), 3U);
  });
}

TEST(Command, IsToldInOrderWhatCameBeforeItRan) {
  in_child([] {
    Running world({test::program("signals"), "3"});
    for (const int value : {3, 1, 2}) world.command.forward(queued(SIGRTMIN, value));
    EXPECT_EQ(world.command.signals_forwarded(), 0U);
    world.start();
    EXPECT_EQ(world.finish(),
              "listening\n" + line(SIGRTMIN, 3) + line(SIGRTMIN, 1) + line(SIGRTMIN, 2));
  });
}

TEST(Command, IsToldOnceOfAStandardSignalThatCameOften) {
  in_child([] {
    Running world({test::program("signals"), "4"});
    for (int i = 0; i < 1000; ++i) world.command.forward(plain(SIGUSR1));
    for (int i = 0; i < 3; ++i) world.command.forward(queued(SIGRTMIN, 5));  // Each counts.
    world.start();
    const std::string rt = line(SIGRTMIN, 5);
    EXPECT_EQ(world.finish(), "listening\n" + line(SIGUSR1) + rt + rt + rt);
    EXPECT_EQ(world.command.signals_forwarded(), 4U);
  });
}

TEST(Command, WithItsGroupIsToldInAllItsProcesses) {
  in_child([] {
    const std::string listener = test::program("signals") + " 1";
    Running world({"/bin/sh", "-c", listener + " & " + listener + "; wait"}, /*group=*/true);
    world.start();
    world.wait_for("listening\n");
    world.output.clear();
    world.wait_for("listening\n");
    world.command.forward(plain(SIGUSR1));
    // The shell has it blocked, as it was started.
    EXPECT_EQ(test::count(world.finish(), line(SIGUSR1)), 2);
    EXPECT_EQ(world.command.signals_forwarded(), 1U);
  });
}

TEST(Command, WithoutItsGroupIsToldAlone) {
  in_child([] {
    Running world({"/bin/sh", "-c",
                   test::program("signals") + " 1 & exec " + test::program("signals") + " 1"});
    world.start();
    world.wait_for("listening\n");
    world.output.clear();
    world.wait_for("listening\n");
    world.command.forward(plain(SIGUSR1));
    world.loop.run();
    EXPECT_EQ(world.code, 0);
    EXPECT_FALSE(world.reaper.alone());  // The other one listens still.
    ::close(STDOUT_FILENO);
  });
}

TEST(Command, ThatHasLeftItsGroupIsToldItself) {
  if (::access("/usr/bin/perl", X_OK) != 0) GTEST_SKIP() << "needs perl";
  in_child([] {
    Running world({"/usr/bin/perl", "-e",
                   "$| = 1; setpgrp(0, getpgrp(getppid)); $SIG{USR1} = sub { exit 9 };"
                   "print qq(listening\\n); select(undef, undef, undef, 20)"},
                  /*group=*/true, /*masked=*/false);
    world.start();
    world.wait_for("listening\n");
    world.command.forward(plain(SIGUSR1));
    world.loop.run();
    EXPECT_EQ(world.code, 9);
    EXPECT_EQ(world.command.signals_forwarded(), 1U);
  });
}

TEST(Command, IsToldWhatASignalIsRewrittenTo) {
  in_child([] {
    auto options = Running::options({test::program("signals"), "2"});
    options.rewrites = {{SIGTERM, SIGQUIT}, {SIGHUP, 0}};
    Running world(std::move(options));
    world.command.forward(plain(SIGTERM));  // Also before it runs.
    world.command.forward(plain(SIGHUP));
    world.start();
    world.wait_for(line(SIGQUIT));
    world.command.forward(plain(SIGHUP));
    world.command.forward(plain(SIGUSR1));
    EXPECT_EQ(world.finish(), "listening\n" + line(SIGQUIT) + line(SIGUSR1));
  });
}

TEST(Command, LeadsASessionWhereAsked) {
  in_child([] {
    auto options = Running::options({test::program("surroundings")});
    options.own_session = true;
    Running world(std::move(options));
    world.start();
    EXPECT_NE(world.finish().find("session leader 1\n"), std::string::npos);
  });
}

TEST(Command, OfASessionStopsByWhatItsOrphanedGroupWouldIgnore) {
  in_child([] {
    ::setsid();  // Nobody stands above us either, so that we are not stopped along with it.
    auto options = Running::options({"/bin/sh", "-c", "echo listening; exec sleep 60"});
    options.own_session = true;
    Running world(std::move(options));
    world.start();
    world.wait_for("listening\n");
    world.command.forward(plain(SIGTSTP));
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(*world.command.pid()), &info, WSTOPPED | WNOWAIT),
              0);
    EXPECT_EQ(info.si_status, SIGSTOP);
    ::kill(*world.command.pid(), SIGKILL);
    world.loop.run();
  });
}

TEST(Command, KnowsItsGroupAlsoAfterItsEnd) {
  in_child([] {
    Running world({"true"});
    world.start();
    const pid_t pid = *world.command.pid();
    world.loop.run();
    EXPECT_EQ(world.command.group(), pid);
  });
}

}  // namespace
}  // namespace warminit::init
