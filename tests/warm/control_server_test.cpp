#include "warminit/warm/control_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "warm/serving.h"

namespace warminit::warm {
namespace {

using ::testing::ElementsAre;

class ControlServerTest : public test::Serving {};

TEST_F(ControlServerTest, AnswersWhatItIsAsked) {
  serve();
  auto asker = connect();
  asker.ask(Verb::status);
  EXPECT_EQ(line_for(asker) + "\n", reply_);
  EXPECT_THAT(verbs_, ElementsAre(Verb::status));
}

TEST_F(ControlServerTest, AnswersManyRequestsOnOneConnection) {
  serve();
  auto asker = connect();
  for (int i = 0; i < 50; ++i) {
    asker.ask(Verb::status);
    EXPECT_EQ(line_for(asker) + "\n", reply_) << i;
  }
}

TEST_F(ControlServerTest, AnswersRequestsThatComeInOneWriteInTheirOrder) {
  serve();
  later_ = true;
  auto asker = connect();
  asker.send(request_line(Verb::wait) + request_line(Verb::release) + "rubbish\n" +
             request_line(Verb::status));
  run_until([&] { return asked_.size() == 1; });
  settle();
  EXPECT_THAT(verbs_, ElementsAre(Verb::wait)) << "the second has to wait for the first";
  asked_.at(0)("first\n");
  EXPECT_EQ(line_for(asker), "first");
  run_until([&] { return asked_.size() == 2; });
  asked_.at(1)("second\n");
  EXPECT_EQ(line_for(asker), "second");
  EXPECT_EQ(refusal_for(asker), "not a JSON object on a line");
  run_until([&] { return asked_.size() == 3; });
  asked_.at(2)("third\n");
  EXPECT_EQ(line_for(asker), "third");
  EXPECT_THAT(verbs_, ElementsAre(Verb::wait, Verb::release, Verb::status));
}

TEST_F(ControlServerTest, AnswersMoreRequestsInOneWriteThanItTakesAtOnce) {
  serve();
  auto asker = connect();
  std::string many;
  for (int i = 0; i < 500; ++i) many += request_line(Verb::status);
  ASSERT_GT(many.size(), 2 * kMostRequestBytes);
  asker.send(many);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(line_for(asker) + "\n", reply_) << i;
}

TEST_F(ControlServerTest, WaitsForTheRestOfALine) {
  serve();
  auto asker = connect();
  for (const char byte : request_line(Verb::acquire)) {
    EXPECT_TRUE(verbs_.empty());
    asker.send(std::string(1, byte));
    settle();
  }
  EXPECT_EQ(line_for(asker) + "\n", reply_);
  EXPECT_THAT(verbs_, ElementsAre(Verb::acquire));
}

TEST_F(ControlServerTest, RefusesALineThatIsTooLongAndCloses) {
  serve();
  auto asker = connect();
  asker.send(std::string(3 * kMostRequestBytes, 'x'));
  EXPECT_EQ(refusal_for(asker), "a request has at most 4096 bytes");
  run_until([&] { return asker.ended(); });
  EXPECT_TRUE(verbs_.empty());
  auto exact = connect();
  const std::string request = request_line(Verb::status);
  exact.send(std::string(kMostRequestBytes - request.size(), ' ') + request);
  EXPECT_EQ(refusal_for(exact), "ok");
}

TEST_F(ControlServerTest, OutlivesBinaryNoise) {
  serve();
  auto asker = connect();
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>(i * 7);
  const auto lines = std::count(noise.begin(), noise.end(), '\n');
  ASSERT_GT(lines, 5);
  asker.send(noise);
  for (auto i = 0; i < lines; ++i) EXPECT_EQ(refusal_for(asker), "not a JSON object on a line");
  asker.send("\n" + request_line(Verb::status));
  EXPECT_EQ(refusal_for(asker), "not a JSON object on a line");
  EXPECT_EQ(refusal_for(asker), "ok");
}

TEST_F(ControlServerTest, AnswersOneThatHasShutItsSendingSide) {
  serve();
  later_ = true;
  auto asker = connect();
  asker.ask(Verb::wait);
  asker.shut_sending();
  run_until([&] { return asked_.size() == 1; });
  settle();
  EXPECT_FALSE(asker.ended());
  asked_.at(0)("late\n");
  EXPECT_EQ(line_for(asker), "late");
  run_until([&] { return asker.ended(); });
}

TEST_F(ControlServerTest, GivesNobodyTheAnswerToAClientThatHasGone) {
  serve();
  later_ = true;
  auto gone = connect();
  gone.ask(Verb::wait);
  run_until([&] { return asked_.size() == 1; });
  gone.hang_up();
  settle();
  auto next = connect();  // With the same number for its descriptor in the server, as a rule.
  next.ask(Verb::wait);
  run_until([&] { return asked_.size() == 2; });
  asked_.at(0)("for the one that has gone\n");
  asked_.at(1)("for the next\n");
  EXPECT_EQ(line_for(next), "for the next");
}

TEST_F(ControlServerTest, KnowsWhichAnswersNobodyWaitsForAnyMore) {
  serve();
  later_ = true;
  auto stays = connect();
  auto goes = connect();
  stays.ask(Verb::wait);
  run_until([&] { return asked_.size() == 1; });
  goes.ask(Verb::wait);
  run_until([&] { return asked_.size() == 2; });
  goes.hang_up();
  settle();
  EXPECT_TRUE(asked_.at(0).is_wanted());
  EXPECT_FALSE(asked_.at(1).is_wanted());
}

TEST_F(ControlServerTest, OutlivesOneThatAsksAndHangsUpAtOnce) {
  serve();
  for (int i = 0; i < 20; ++i) {
    auto asker = connect();
    asker.ask(Verb::status);
    asker.hang_up();
  }
  auto asker = connect();
  asker.ask(Verb::status);
  EXPECT_EQ(refusal_for(asker), "ok");
}

TEST_F(ControlServerTest, EndsWithClientsThatStillWait) {
  serve();
  later_ = true;
  auto asker = connect();
  asker.ask(Verb::wait);
  run_until([&] { return asked_.size() == 1; });
  server_.reset();
  EXPECT_TRUE(asker.ended());
  settle();
}

}  // namespace
}  // namespace warminit::warm
