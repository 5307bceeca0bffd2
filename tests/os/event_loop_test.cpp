#include "warminit/os/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "os/child.h"

namespace warminit::os {
namespace {

using test::Pipe;

void put_byte(const Pipe& pipe) { ASSERT_EQ(::write(pipe.write_end.get(), ".", 1), 1); }

TEST(EventLoop, CallsTheHandlerOfADescriptorThatIsReady) {
  EventLoop loop;
  Pipe ready;
  Pipe silent;
  put_byte(ready);
  std::uint32_t seen = 0;
  loop.watch(ready.read_end.get(), EPOLLIN, [&](std::uint32_t events) {
    seen = events;
    loop.stop();
  });
  loop.watch(silent.read_end.get(), EPOLLIN, [&](std::uint32_t) { ADD_FAILURE(); });
  loop.run();
  EXPECT_EQ(seen, static_cast<std::uint32_t>(EPOLLIN));
}

TEST(EventLoop, IsLevelTriggered) {
  EventLoop loop;
  Pipe pipe;
  put_byte(pipe);
  int calls = 0;
  loop.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) {
    if (++calls == 3) loop.stop();
  });
  loop.run();
  EXPECT_EQ(calls, 3);
}

TEST(EventLoop, TellsOfTheOtherEndsClosing) {
  EventLoop loop;
  Pipe pipe;
  pipe.write_end = Fd();
  std::uint32_t seen = 0;
  loop.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t events) {
    seen = events;
    loop.stop();
  });
  loop.run();
  EXPECT_NE(seen & EPOLLHUP, 0U);
}

TEST(EventLoop, DoesNotCallWhatAnEarlierHandlerOfTheBatchUnwatched) {
  EventLoop loop;
  Pipe pipes[2];
  for (const Pipe& pipe : pipes) put_byte(pipe);  // Both are ready when the loop first looks.
  std::vector<int> called;
  for (int i = 0; i < 2; ++i)
    loop.watch(pipes[i].read_end.get(), EPOLLIN, [&, i](std::uint32_t) {
      loop.unwatch(pipes[1 - i].read_end.get());
      called.push_back(i);
      if (called.size() == 2) loop.stop();
    });
  loop.run();
  EXPECT_EQ(called.at(0), called.at(1));
}

TEST(EventLoop, LetsAHandlerUnwatchItself) {
  EventLoop loop;
  Pipe once;
  Pipe after;
  put_byte(once);
  std::string log;
  const std::string captured(100, 'x');  // Would be freed under the handler if it were not kept.
  loop.watch(once.read_end.get(), EPOLLIN, [&, captured](std::uint32_t) {
    loop.unwatch(once.read_end.get());
    log += captured.substr(0, 1);
    put_byte(after);
  });
  loop.watch(after.read_end.get(), EPOLLIN, [&](std::uint32_t) {
    log += 'a';
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(log, "xa");
}

TEST(EventLoop, LetsAHandlerWatchAnother) {
  EventLoop loop;
  Pipe first;
  Pipe second;
  put_byte(first);
  put_byte(second);
  bool reached = false;
  loop.watch(first.read_end.get(), EPOLLIN, [&](std::uint32_t) {
    loop.unwatch(first.read_end.get());
    loop.watch(second.read_end.get(), EPOLLIN, [&](std::uint32_t) {
      reached = true;
      loop.stop();
    });
  });
  loop.run();
  EXPECT_TRUE(reached);
}

TEST(EventLoop, StopsWithinABatch) {
  EventLoop loop;
  Pipe pipes[2];
  int calls = 0;
  for (const Pipe& pipe : pipes) {
    put_byte(pipe);
    loop.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) {
      ++calls;
      loop.stop();
    });
  }
  loop.run();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(loop.stopped());
}

TEST(EventLoop, StaysStopped) {
  EventLoop loop;
  Pipe pipe;
  put_byte(pipe);
  loop.watch(pipe.read_end.get(), EPOLLIN, [](std::uint32_t) { ADD_FAILURE(); });
  EXPECT_FALSE(loop.stopped());
  loop.stop();
  loop.run();
}

TEST(EventLoop, GoesOnAfterAHandlerHasThrown) {
  EventLoop loop;
  Pipe bad;
  Pipe good;
  put_byte(bad);
  put_byte(good);
  bool reached = false;
  loop.watch(bad.read_end.get(), EPOLLIN, [&](std::uint32_t) {
    loop.unwatch(bad.read_end.get());
    loop.watch(good.read_end.get(), EPOLLIN, [&](std::uint32_t) {
      reached = true;
      loop.stop();
    });
    throw std::runtime_error("a step");
  });
  EXPECT_THROW(loop.run(), std::runtime_error);
  EXPECT_FALSE(loop.stopped());
  loop.run();
  EXPECT_TRUE(reached);
}

TEST(EventLoop, RefusesADescriptorThatItWatchesAlready) {
  EventLoop loop;
  Pipe pipe;
  loop.watch(pipe.read_end.get(), EPOLLIN, [](std::uint32_t) {});
  EXPECT_THROW(loop.watch(pipe.read_end.get(), EPOLLIN, [](std::uint32_t) {}), std::system_error);
}

TEST(EventLoop, ForgetsADescriptorThatItNeverWatched) {
  EventLoop loop;
  Pipe pipe;
  loop.unwatch(pipe.read_end.get());
  EXPECT_NO_THROW(loop.watch(pipe.read_end.get(), EPOLLIN, [](std::uint32_t) {}));
}

TEST(EventLoopStep, DispatchesOneEventAndNeverWaits) {
  EventLoop loop;
  Pipe pipes[2];
  int calls = 0;
  for (const Pipe& pipe : pipes)
    loop.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) { ++calls; });
  loop.step();
  EXPECT_EQ(calls, 0);
  for (const Pipe& pipe : pipes) put_byte(pipe);
  loop.step();
  EXPECT_EQ(calls, 1);
}

TEST(EventLoopStep, GivesEachDescriptorItsTurn) {
  EventLoop loop;
  Pipe pipes[3];
  int calls[3] = {};
  for (int i = 0; i < 3; ++i) {
    put_byte(pipes[i]);  // Stays readable, for nobody reads it.
    loop.watch(pipes[i].read_end.get(), EPOLLIN, [&calls, i](std::uint32_t) { ++calls[i]; });
  }
  for (int i = 0; i < 9; ++i) loop.step();
  for (const int each : calls) EXPECT_EQ(each, 3);
}

TEST(EventLoopChange, WaitsForOtherEvents) {
  EventLoop loop;
  Pipe pipe;
  put_byte(pipe);
  int calls = 0;
  loop.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) { ++calls; });
  loop.change(pipe.read_end.get(), 0);
  loop.step();
  EXPECT_EQ(calls, 0);
  loop.change(pipe.read_end.get(), EPOLLIN);
  loop.step();
  EXPECT_EQ(calls, 1);
  pipe.write_end = Fd();
  loop.change(pipe.read_end.get(), 0);
  loop.step();
  EXPECT_EQ(calls, 2) << "its end is always told";
}

TEST(EventLoopChange, RefusesADescriptorThatIsNotWatched) {
  EventLoop loop;
  const Pipe pipe;
  EXPECT_THROW(loop.change(pipe.read_end.get(), EPOLLIN), std::system_error);
}

TEST(EventLoop, InsideAnotherGetsOneTurnAtATime) {
  EventLoop outer;
  EventLoop inner;
  Pipe crowd[4];
  Pipe other;
  std::string turns;
  for (const Pipe& pipe : crowd) {
    put_byte(pipe);
    inner.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) { turns += 'c'; });
  }
  put_byte(other);
  outer.watch(inner.fd(), EPOLLIN, [&](std::uint32_t) { inner.step(); });
  outer.watch(other.read_end.get(), EPOLLIN, [&](std::uint32_t) {
    turns += 'o';
    if (turns.size() >= 8) outer.stop();
  });
  outer.run();
  EXPECT_EQ(turns.find("cc"), std::string::npos) << turns;
  EXPECT_NE(turns.find('c'), std::string::npos) << turns;
}

TEST(EventLoop, IsNotInheritedByPrograms) {
  const int probe = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
  const EventLoop loop;  // Takes the lowest number, as every new descriptor does.
  EXPECT_EQ(::fcntl(probe, F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace warminit::os
