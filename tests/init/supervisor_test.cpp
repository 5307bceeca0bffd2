#include "warminit/init/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <vector>

#include "init/world.h"
#include "os/child.h"

namespace warminit::init {
namespace {

using namespace std::chrono_literals;
using test::in_child;
using test::World;
using ::testing::ElementsAre;
using Delays = std::vector<std::optional<std::chrono::milliseconds>>;

/// A supervisor and what it tells; the loop stops when the helper is not started again.
struct Supervised {
  Supervised(
      World& world, RestartPolicy policy, std::function<pid_t()> start,
      std::function<bool(int)> restartable = [](int) { return true; })
      : supervisor(world.loop, world.reaper, policy,
                   {std::move(start), std::move(restartable),
                    [this, &world](const Supervisor::Ending& ending) {
                      statuses.push_back(ending.status);
                      delays.push_back(ending.restart_in);
                      on_ended();
                      if (!ending.restart_in) world.loop.stop();
                    }}) {}
  std::vector<int> statuses;
  Delays delays;
  std::function<void()> on_ended = [] {};
  Supervisor supervisor;
};

pid_t no_process() { throw std::system_error(EAGAIN, std::generic_category(), "fork"); }

TEST(Supervisor, DoublesTheDelayUpToItsMost) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 16ms, .delay_max = 100ms, .limit = 5}, no_process);
    helper.supervisor.start();
    world.loop.run();
    EXPECT_THAT(helper.delays, ElementsAre(16ms, 32ms, 64ms, 100ms, 100ms, std::nullopt));
  });
}

TEST(Supervisor, TakesNoDelayAboveItsMostEvenAtFirst) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1h, .delay_max = 50ms, .limit = 1}, no_process);
    helper.supervisor.start();
    world.loop.run();
    EXPECT_THAT(helper.delays, ElementsAre(50ms, std::nullopt));
  });
}

TEST(Supervisor, CountsAProcessThatCannotBeMadeAsADeath) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1ms, .delay_max = 10s, .limit = 1}, no_process);
    helper.supervisor.start();
    EXPECT_FALSE(helper.supervisor.pid());
    world.loop.run();
    EXPECT_THAT(helper.statuses, ElementsAre(71 << 8, 71 << 8));
  });
}

TEST(Supervisor, StartsAHelperAgainThatDied) {
  in_child([] {
    World world;
    int starts = 0;
    Supervised helper(world, {.delay = 1ms, .delay_max = 10s, .limit = 2}, [&] {
      ++starts;
      return test::fork_child([] { ::_exit(3); });
    });
    helper.supervisor.start();
    EXPECT_TRUE(helper.supervisor.pid());
    world.loop.run();
    EXPECT_EQ(starts, 3);
    EXPECT_THAT(helper.statuses, ElementsAre(3 << 8, 3 << 8, 3 << 8));
    EXPECT_FALSE(helper.supervisor.pid());
  });
}

TEST(Supervisor, WithALimitOfZeroNeverStartsAgain) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1ms, .delay_max = 10s, .limit = 0}, no_process);
    helper.supervisor.start();
    EXPECT_THAT(helper.delays, ElementsAre(std::nullopt));
  });
}

TEST(Supervisor, AsksWhetherAStatusIsWorthAnotherTry) {
  in_child([] {
    World world;
    std::vector<int> codes{75, 69, 75};  // The second ends it.
    std::size_t starts = 0;
    Supervised helper(
        world, {.delay = 1ms, .delay_max = 10s, .limit = 10},
        [&] {
          const int code = codes.at(starts++);
          return test::fork_child([code] { ::_exit(code); });
        },
        [](int status) { return exit_code(status) != 69; });
    helper.supervisor.start();
    world.loop.run();
    EXPECT_EQ(starts, 2U);
    EXPECT_THAT(helper.delays, ElementsAre(1ms, std::nullopt));
  });
}

TEST(Supervisor, DoesNotStartARetiredHelperAgain) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1ms, .delay_max = 10s, .limit = 10},
                      [&] { return world.child(test::wait_for_signal); });
    helper.supervisor.start();
    helper.supervisor.retire();
    helper.supervisor.kill(SIGTERM);
    world.loop.run();
    EXPECT_THAT(helper.statuses, ElementsAre(SIGTERM));
    EXPECT_THAT(helper.delays, ElementsAre(std::nullopt));
    helper.supervisor.kill(SIGTERM);  // Nobody is left: nobody is hit.
  });
}

TEST(Supervisor, CancelsAPendingRestartWhenRetired) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1ms, .delay_max = 10s, .limit = 10}, no_process);
    os::Timer end(world.loop, [&] { world.loop.stop(); });
    helper.supervisor.start();
    helper.supervisor.retire();
    end.set(30ms);
    world.loop.run();
    EXPECT_THAT(helper.delays, ElementsAre(1ms));
  });
}

TEST(Supervisor, StartsARevivedHelperWithACleanRecord) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1ms, .delay_max = 10s, .limit = 2}, no_process);
    helper.supervisor.start();
    helper.supervisor.retire();
    EXPECT_TRUE(helper.supervisor.retired());
    helper.supervisor.revive();
    EXPECT_FALSE(helper.supervisor.retired());
    world.loop.run();
    EXPECT_THAT(helper.delays, ElementsAre(1ms, 1ms, 2ms, std::nullopt));
  });
}

TEST(Supervisor, GivesAHelperThatSucceededAndRanForLongACleanRecord) {
  in_child([] {
    World world;
    Supervised helper(world, {.delay = 1ms, .delay_max = 5ms, .limit = 1},
                      [&] { return world.child(test::wait_for_signal); });
    os::Timer life(world.loop, [&] {
      helper.supervisor.succeeded();
      helper.supervisor.kill(SIGKILL);
    });
    helper.on_ended = [&] {
      if (helper.delays.size() == 4) return world.loop.stop();
      life.set(50ms);  // 1 ms until the restart, and then for longer than 5 ms.
    };
    helper.supervisor.start();
    life.set(50ms);
    world.loop.run();
    EXPECT_THAT(helper.delays, ElementsAre(1ms, 1ms, 1ms, 1ms));
    helper.supervisor.kill(SIGKILL);
  });
}

}  // namespace
}  // namespace warminit::init
