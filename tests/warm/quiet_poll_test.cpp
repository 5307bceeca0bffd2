#include "warminit/warm/quiet_poll.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <thread>

#include "os/child.h"
#include "warminit/os/fd.h"

namespace warminit::warm {
namespace {

using test::in_child;
using test::Pipe;

/// Whether `fd` is readable within 50 ms; by ppoll, which quiet() leaves alone.
bool soon_readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  const timespec patience{0, 50'000'000};
  return ::ppoll(&watched, 1, &patience, nullptr) == 1;
}

/// A thread that polls `fd` for 1 ms; `returned` becomes readable when poll comes back.
struct Poller {
  explicit Poller(int fd)
      : watched{fd, POLLIN, 0}, thread([this] {
          result = ::poll(&watched, 1, 1);
          (void)::eventfd_write(returned.get(), 1);
        }) {}
  os::Fd returned{os::check(::eventfd(0, EFD_CLOEXEC), "eventfd")};
  pollfd watched;
  int result = -2;
  std::thread thread;
};

TEST(QuietPoll, TimesOutWhileItIsLoud) {
  in_child([] {
    const Pipe pipe;
    Poller poller(pipe.read_end.get());
    poller.thread.join();
    EXPECT_EQ(poller.result, 0);
  });
}

TEST(QuietPoll, SleepsPastItsTimeUntilItGetsLoud) {
  in_child([] {
    quiet();
    const Pipe pipe;
    Poller poller(pipe.read_end.get());
    EXPECT_FALSE(soon_readable(poller.returned.get()));
    loud();
    poller.thread.join();
    EXPECT_EQ(poller.result, 0) << "as if its time were over";
    EXPECT_EQ(poller.watched.revents, 0);
  });
}

TEST(QuietPoll, IsWokenByItsDescriptors) {
  in_child([] {
    quiet();
    const Pipe pipe;
    Poller poller(pipe.read_end.get());
    ASSERT_EQ(::write(pipe.write_end.get(), "x", 1), 1);
    poller.thread.join();
    EXPECT_EQ(poller.result, 1);
    EXPECT_EQ(poller.watched.revents, POLLIN);
  });
}

TEST(QuietPoll, LeavesAPollWithoutTimeAlone) {
  in_child([] {
    quiet();
    const Pipe pipe;
    pollfd watched{pipe.read_end.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&watched, 1, 0), 0);
  });
}

TEST(QuietPoll, KeepsTheTimeOfAPollOfMoreThanItCanHold) {
  in_child([] {
    quiet();
    std::array<pollfd, 1000> watched{};
    for (pollfd& each : watched) each.fd = -1;
    EXPECT_EQ(::poll(watched.data(), watched.size(), 1), 0);
  });
}

}  // namespace
}  // namespace warminit::warm
