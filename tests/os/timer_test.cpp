#include "warminit/os/timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace warminit::os {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Timer, ExpiresOnceAfterItsDelay) {
  EventLoop loop;
  int expired = 0;
  Timer timer(loop, [&] { ++expired; });
  Timer end(loop, [&] { loop.stop(); });
  const auto begin = Clock::now();
  Clock::duration after{};
  Timer measured(loop, [&] { after = Clock::now() - begin; });
  measured.set(20ms);
  timer.set(1ms);
  end.set(50ms);
  loop.run();
  EXPECT_EQ(expired, 1);
  EXPECT_GE(after, 20ms);
}

TEST(Timer, WithoutADelayExpiresAtOnce) {
  for (const auto delay : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(-5s)}) {
    EventLoop loop;
    Timer timer(loop, [&] { loop.stop(); });
    timer.set(delay);
    loop.run();  // Returns, or the test's time runs out.
  }
}

TEST(Timer, ThatIsPutForwardExpiresOnce) {
  EventLoop loop;
  int expired = 0;
  Timer timer(loop, [&] { ++expired; });
  Timer end(loop, [&] { loop.stop(); });
  timer.set(1h);
  timer.set(1ms);
  end.set(30ms);
  loop.run();
  EXPECT_EQ(expired, 1);
}

TEST(Timer, ThatIsPutOffForgetsItsEarlierSetting) {
  EventLoop loop;
  Timer timer(loop, [] { ADD_FAILURE(); });
  Timer end(loop, [&] { loop.stop(); });
  timer.set(1ms);
  timer.set(1h);
  end.set(30ms);
  loop.run();
}

TEST(Timer, DoesNotExpireOnceCancelled) {
  EventLoop loop;
  Timer timer(loop, [&] { ADD_FAILURE(); });
  Timer end(loop, [&] { loop.stop(); });
  timer.set(1ms);
  timer.cancel();
  end.set(30ms);
  loop.run();
}

TEST(Timer, DoesNotExpireWhenCancelledInTheBatchInWhichItWould) {
  EventLoop loop;
  std::unique_ptr<Timer> timers[2];
  int expired = 0;
  for (int i = 0; i < 2; ++i)
    timers[i] = std::make_unique<Timer>(loop, [&, i] {
      ++expired;
      timers[1 - i]->cancel();
    });
  for (const auto& timer : timers) timer->set(0ns);
  Timer end(loop, [&] { loop.stop(); });
  end.set(20ms);
  loop.run();
  EXPECT_EQ(expired, 1);
}

TEST(Timer, CanBeSetAgainByItsOwnExpiry) {
  EventLoop loop;
  int expired = 0;
  Timer* self = nullptr;
  Timer timer(loop, [&] {
    if (++expired == 3) return loop.stop();
    self->set(1ms);
  });
  self = &timer;
  timer.set(1ms);
  loop.run();
  EXPECT_EQ(expired, 3);
}

TEST(Timer, LeavesTheLoopWhenItGoes) {
  EventLoop loop;
  {
    Timer gone(loop, [] { ADD_FAILURE(); });
    gone.set(0ns);
  }
  Timer end(loop, [&] { loop.stop(); });
  end.set(5ms);
  loop.run();
}

TEST(Timer, TakesADelayOfAHundredYears) {
  EventLoop loop;
  Timer timer(loop, [] { ADD_FAILURE(); });
  EXPECT_NO_THROW(timer.set(24h * 365 * 100));
}

}  // namespace
}  // namespace warminit::os
