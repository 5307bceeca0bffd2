#include "warminit/exporter/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "exporter/samples.h"
#include "exporter/served.h"
#include "os/child.h"

/// What a client that means no good, or a PID 1 that hangs, costs the exporter: little.
namespace warminit::exporter {
namespace {

using namespace std::chrono_literals;
using test::answer_line;
using test::read_all;
using test::request;
using test::Served;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string& live_line() {
  static const std::string kLine = answer_line(nlohmann::json::object());
  return kLine;
}

TEST(SlowClient, IsCutOffAtItsTimeLimit) {
  const Served served({.request = 100ms});
  EXPECT_EQ(read_all(served.client("").get()), "");
  EXPECT_EQ(read_all(served.client("GET /livez HTTP/1.1\r\nX: ").get()), "");
}

TEST(SlowClient, ThatNeverClosesIsCutOffAfterItsReply) {
  const Served served({.request = 1s});
  const os::Fd connection = served.client(request("/"));
  EXPECT_THAT(read_all(connection.get()), StartsWith("HTTP/1.1 404 "));
  // Our side is still open. Once theirs is closed too, the kernel refuses what we send.
  while (::send(connection.get(), "x", 1, MSG_NOSIGNAL) == 1) {
  }
  EXPECT_TRUE(errno == EPIPE || errno == ECONNRESET);
}

TEST(ManyClients, ThatIdleGiveWayToThoseThatAsk) {
  const Served served;
  std::vector<os::Fd> idle;
  for (int i = 0; i < 40; ++i) idle.push_back(served.client("GET /"));
  EXPECT_THAT(served.exchange(request("/livez"), live_line()), EndsWith("ok\n"));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(read_all(idle[i].get()), "") << i;
  EXPECT_FALSE(test::becomes_readable(idle[9].get(), 0ms));
  EXPECT_FALSE(test::becomes_readable(idle.back().get(), 0ms));
}

TEST(ManyClients, TogetherCostTwoQuestionsAtMost) {
  const Served served;
  std::vector<os::Fd> clients;
  clients.push_back(served.client(request("/livez")));
  ASSERT_TRUE(test::becomes_readable(served.link()));  // The first has asked.
  for (int i = 0; i < 20; ++i) clients.push_back(served.client(request("/livez")));
  // Whoever is refused after them has been read after them.
  EXPECT_THAT(read_all(served.client(request("/")).get()), StartsWith("HTTP/1.1 404 "));
  served.answer(live_line());
  served.answer(live_line());
  for (const os::Fd& client : clients) EXPECT_THAT(read_all(client.get()), EndsWith("ok\n"));
  EXPECT_FALSE(test::becomes_readable(served.link(), 0ms));
}

TEST(Pid1, ThatDoesNotAnswerInTimeIsNotLive) {
  const Served served({.answer = 50ms});
  EXPECT_THAT(read_all(served.client(request("/livez")).get()),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("not answered for 50 ms")));
  EXPECT_THAT(read_all(served.client(request("/metrics")).get()),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\nwarminit_up 0\n")));
}

TEST(Pid1, ThatAnswersLateIsBelievedAboutTheNextQuestionOnly) {
  const Served served({.answer = 200ms});
  EXPECT_THAT(read_all(served.client(request("/readyz")).get()), StartsWith("HTTP/1.1 503 "));
  const os::Fd client = served.client(request("/readyz"));
  served.answer(answer_line({{"ready", true}}));   // To the first, who has gone.
  served.answer(answer_line({{"ready", false}}));  // To this one.
  EXPECT_THAT(read_all(client.get()), StartsWith("HTTP/1.1 503 "));
}

TEST(Pid1, MayWriteALongAnswerButNoneWithoutEnd) {
  Served served;
  auto status = test::full_status();
  for (int i = 0; i < 1024; ++i) status["devices"].push_back(status["devices"][0]);
  EXPECT_THAT(served.exchange(request("/metrics"), answer_line(status)),
              HasSubstr("warminit_up 1"));
  const std::string endless(1 << 16, 'x');
  while (::send(served.link(), endless.data(), endless.size(), MSG_NOSIGNAL) > 0) {
  }
  EXPECT_EQ(served.end(), 0);
}

}  // namespace
}  // namespace warminit::exporter
