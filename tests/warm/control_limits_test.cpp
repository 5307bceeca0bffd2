#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <vector>

#include "warm/serving.h"

/// How long and how many the control server bears.
namespace warminit::warm {
namespace {

using namespace std::chrono_literals;
using test::Asker;

class ControlLimitsTest : public test::Serving {
 protected:
  /// Another client is served meanwhile.
  void expect_service() {
    auto asker = connect();
    asker.ask(Verb::status);
    EXPECT_EQ(refusal_for(asker), "ok");
  }
};

TEST_F(ControlLimitsTest, DropsASlowClientAndServesTheOthers) {
  serve({.patience = 500ms});
  auto slow = connect();
  slow.send("{\"version\":");
  int served = 0;
  run_until([&] {
    expect_service();
    ++served;
    return slow.ended();
  });
  EXPECT_GT(served, 1);
  EXPECT_EQ(slow.text(), "");
}

TEST_F(ControlLimitsTest, DropsOneThatAsksNothingMore) {
  serve({.patience = 500ms});
  auto asker = connect();
  asker.ask(Verb::status);
  EXPECT_EQ(refusal_for(asker), "ok");
  run_until([&] { return asker.ended(); });
  expect_service();
}

TEST_F(ControlLimitsTest, KeepsOneWhoseAnswerIsNotThereYet) {
  serve({.patience = 500ms});
  later_ = true;
  auto waits = connect();
  waits.ask(Verb::wait);
  run_until([&] { return asked_.size() == 1; });
  auto idle = connect();
  run_until([&] { return idle.ended(); });  // The same time is over for both.
  auto idle_again = connect();
  run_until([&] { return idle_again.ended(); });
  EXPECT_FALSE(waits.ended());
  asked_.at(0)("late\n");
  EXPECT_EQ(line_for(waits), "late");
}

TEST_F(ControlLimitsTest, NeitherWaitsForOneThatDoesNotReadNorKeepsIt) {
  serve({.patience = 500ms});
  later_ = true;
  auto deaf = connect();
  deaf.ask(Verb::status);
  run_until([&] { return asked_.size() == 1; });
  const std::string large(std::size_t{8} << 20, 'x');
  asked_.at(0)(large + "\n");  // Returns, or this test does not end.
  later_ = false;
  auto idle = connect();
  run_until([&] { return idle.ended(); });  // Later than the other's time, for it came later.
  run_until([&] { return deaf.ended(); });
  EXPECT_GT(deaf.text().size(), 0U) << "what had room";
  EXPECT_LT(deaf.text().size(), large.size()) << "the rest is for nobody";
  expect_service();
}

TEST_F(ControlLimitsTest, GivesALargeAnswerToOneThatReads) {
  serve();
  later_ = true;
  auto asker = connect();
  asker.ask(Verb::status);
  run_until([&] { return asked_.size() == 1; });
  const std::string large(std::size_t{4} << 20, 'x');
  asked_.at(0)(large + "\n");
  EXPECT_EQ(line_for(asker).size(), large.size());
  later_ = false;
  asker.ask(Verb::status);
  EXPECT_EQ(refusal_for(asker), "ok");
}

TEST_F(ControlLimitsTest, LetsMoreThanItsMostWaitAndServesThemLater) {
  serve({.connections = 3});
  std::vector<Asker> askers;
  for (int i = 0; i < 5; ++i) askers.push_back(connect());
  for (const Asker& asker : askers) asker.ask(Verb::status);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refusal_for(askers[static_cast<std::size_t>(i)]), "ok");
  settle();
  EXPECT_FALSE(askers[3].has_line());
  EXPECT_FALSE(askers[4].has_line());
  askers[1].hang_up();
  EXPECT_EQ(refusal_for(askers[3]), "ok");
  settle();
  EXPECT_FALSE(askers[4].has_line());
  askers[3].hang_up();
  EXPECT_EQ(refusal_for(askers[4]), "ok");
}

TEST_F(ControlLimitsTest, ServesThoseWhoWaitOnceTheTimeOfTheOthersIsOver) {
  serve({.connections = 3, .patience = 50ms});
  std::vector<Asker> idle;
  for (int i = 0; i < 7; ++i) idle.push_back(connect());
  auto last = connect();
  last.ask(Verb::status);
  EXPECT_EQ(refusal_for(last), "ok");
}

TEST_F(ControlLimitsTest, ServesAnAdoptedConnectionForAsLongAsItLikes) {
  serve({.patience = 50ms});
  std::array<int, 2> ends{};
  os::check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  Asker helper{os::Fd(ends[0])};
  server_->adopt(os::Fd(ends[1]));
  for (int i = 0; i < 2; ++i) {
    auto idle = connect();
    run_until([&] { return idle.ended(); });
    helper.ask(Verb::status);
    EXPECT_EQ(refusal_for(helper), "ok");
  }
  for (const Verb verb : {Verb::release, Verb::acquire, Verb::probe}) {
    helper.ask(verb);
    EXPECT_EQ(refusal_for(helper), "only root and warminit's own user may ask for this");
  }
  helper.ask(Verb::wait);
  EXPECT_EQ(refusal_for(helper), "ok");
}

}  // namespace
}  // namespace warminit::warm
