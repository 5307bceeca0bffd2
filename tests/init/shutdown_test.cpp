#include "warminit/init/shutdown.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "init/world.h"
#include "os/child.h"

/// As a subreaper. What PID 1 of a namespace does is in tests/e2e/shutdown_test.cpp.
namespace warminit::init {
namespace {

using namespace std::chrono_literals;
using test::in_child;
using test::World;

/// A world that ends; the loop runs until the shutdown stops it.
struct Ending : World {
  explicit Ending(std::chrono::milliseconds grace) : shutdown(loop, reaper, grace) {
    on_reaped = [this] { shutdown.on_reaped(); };
  }
  Shutdown shutdown;
};

/// A child that ignores SIGTERM, from the moment this returns.
pid_t stubborn(const World& world) {
  test::Pipe pipe;
  const pid_t pid = world.child([&] {
    ::signal(SIGTERM, SIG_IGN);
    EXPECT_EQ(::write(pipe.write_end.get(), ".", 1), 1);
    test::wait_for_signal();
  });
  EXPECT_TRUE(test::becomes_readable(pipe.read_end.get()));
  return pid;
}

/// Writes 'r' once it is ready for SIGTERM, and 't' when that has come; then ends with 7.
[[noreturn]] void tell_of_sigterm(int fd) {
  ::alarm(60);
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, nullptr);
  (void)!::write(fd, "r", 1);
  int number = 0;
  ::sigwait(&term, &number);
  (void)!::write(fd, "t", 1);
  ::_exit(7);
}

TEST(Shutdown, HasNotBegunByItself) {
  in_child([] {
    Ending world(1h);
    EXPECT_FALSE(world.shutdown.begun());
    const pid_t pid = world.watched_child([] {});
    world.loop.run();  // The watched child stops it; a shutdown that has not begun would not.
    EXPECT_EQ(world.status, 0);
    EXPECT_FALSE(world.shutdown.begun());
    EXPECT_EQ(::kill(pid, 0), -1);
  });
}

TEST(Shutdown, DoesNotWaitWhenNobodyIsLeft) {
  in_child([] {
    Ending world(1h);
    const pid_t command = world.child([] { ::_exit(3); });
    world.reaper.expect(command, [&](int status) { world.shutdown.begin(exit_code(status)); });
    world.loop.run();
    EXPECT_TRUE(world.shutdown.begun());
    EXPECT_EQ(world.shutdown.code(), 3);
  });
}

TEST(Shutdown, SendsSigtermToAllDescendants) {
  in_child([] {
    Ending world(1h);
    test::Pipe pipe;
    int status = 0;
    const pid_t child = world.child([&] {
      if (::fork() == 0) tell_of_sigterm(pipe.write_end.get());
      test::wait_for_signal();
    });
    world.reaper.expect(child, [&](int ended) { status = ended; });
    ASSERT_TRUE(test::becomes_readable(pipe.read_end.get()));
    pipe.write_end = os::Fd();
    world.shutdown.begin(0);
    world.loop.run();
    EXPECT_EQ(status, SIGTERM);
    EXPECT_EQ(test::read_all(pipe.read_end.get()), "rt");
    EXPECT_TRUE(world.reaper.alone());
  });
}

TEST(Shutdown, LetsAStoppedProcessActOnItsSigterm) {
  in_child([] {
    Ending world(1h);
    int status = 0;
    const pid_t child = world.child(test::wait_for_signal);
    world.reaper.expect(child, [&](int ended) { status = ended; });
    ::kill(child, SIGSTOP);
    ASSERT_EQ(::waitpid(child, nullptr, WUNTRACED), child);
    world.shutdown.begin(0);
    world.loop.run();
    EXPECT_EQ(status, SIGTERM);
  });
}

TEST(Shutdown, WaitsForAProcessThatTakesItsTimeWithinTheGrace) {
  in_child([] {
    Ending world(1h);
    test::Pipe pipe;
    int status = -1;
    const pid_t child = world.child([&] { tell_of_sigterm(pipe.write_end.get()); });
    world.reaper.expect(child, [&](int ended) { status = ended; });
    ASSERT_TRUE(test::becomes_readable(pipe.read_end.get()));
    world.shutdown.begin(0);
    world.loop.run();
    EXPECT_EQ(status, 7 << 8);
  });
}

TEST(Shutdown, KillsAfterTheGraceWhatIgnoresSigterm) {
  for (const auto grace : {0ms, 30ms})
    in_child([grace] {
      Ending world(grace);
      int status = 0;
      world.reaper.expect(stubborn(world), [&](int ended) { status = ended; });
      const auto begin = std::chrono::steady_clock::now();
      world.shutdown.begin(5);
      world.loop.run();
      EXPECT_EQ(status, SIGKILL);
      EXPECT_GE(std::chrono::steady_clock::now() - begin, grace);
      EXPECT_EQ(world.shutdown.code(), 5);
      EXPECT_TRUE(world.reaper.alone());
    });
}

TEST(Shutdown, KeepsTheFirstCode) {
  in_child([] {
    Ending world(30ms);
    stubborn(world);
    world.shutdown.begin(5);
    world.shutdown.begin(6);
    world.loop.run();
    EXPECT_EQ(world.shutdown.code(), 5);
  });
}

TEST(Shutdown, LeavesProcessesAloneThatAreNotBelowIt) {
  const test::Sleeper stranger;
  in_child([] {
    Ending world(0ms);
    stubborn(world);
    world.shutdown.begin(0);
    world.loop.run();
  });
  EXPECT_EQ(::waitpid(stranger.pid(), nullptr, WNOHANG), 0);
}

}  // namespace
}  // namespace warminit::init
