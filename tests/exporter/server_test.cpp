#include "warminit/exporter/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporter/samples.h"
#include "exporter/served.h"
#include "os/child.h"

namespace warminit::exporter {
namespace {

using test::answer_line;
using test::full_status;
using test::read_all;
using test::request;
using test::Served;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string& ready_line() {
  static const std::string kLine = answer_line({{"ready", true}, {"readiness", "ready"}});
  return kLine;
}

TEST(Server, GivesMetricsInTheFormatThatIsAskedFor) {
  const Served served;
  EXPECT_THAT(served.exchange(request("/metrics"), answer_line(full_status())),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("text/plain; version=0.0.4"),
                    HasSubstr("\nwarminit_up 1\n"), Not(HasSubstr("# EOF"))));
  EXPECT_THAT(
      served.exchange(request("/metrics", "GET", "accept: application/openmetrics-text\r\n"),
                      answer_line(full_status())),
      AllOf(HasSubstr("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
            EndsWith("# EOF\n")));
}

TEST(Server, TellsProbesWhatPid1Says) {
  const Served served;
  EXPECT_THAT(served.exchange(request("/livez"), ready_line()), EndsWith("\r\n\r\nok\n"));
  EXPECT_THAT(served.exchange(request("/readyz"), ready_line()), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(served.exchange(request("/readyz"), answer_line(full_status())),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("partial\nGPU 1 GPU-b failed: out of")));
  EXPECT_THAT(served.exchange(request("/livez"), "rubbish\n"), StartsWith("HTTP/1.1 503 "));
}

TEST(Server, AnswersHeadWithoutTheBody) {
  const Served served;
  EXPECT_THAT(served.exchange(request("/livez", "HEAD"), ready_line()),
              AllOf(HasSubstr("Content-Length: 3\r\n"), EndsWith("\r\n\r\n")));
}

TEST(Server, AnswersAlsoTheOlderHttp) {
  const Served served;
  EXPECT_THAT(served.exchange("GET /livez HTTP/1.0\r\n\r\n", ready_line()), EndsWith("ok\n"));
}

TEST(Server, RefusesEverythingElseWithoutAskingPid1) {
  Served served;
  const auto refused = [&](const std::string& text, const char* code) {
    EXPECT_THAT(read_all(served.client(text).get()), StartsWith("HTTP/1.1 " + std::string(code)))
        << text;
  };
  refused(request("/"), "404");
  refused(request("/metrics/x"), "404");
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"})
    refused(request("/metrics", method), "405");
  refused(request("/metrics", "POST", "Content-Length: 1\r\n") + "x", "405");
  refused(request("/metrics", "GET", "Content-Length: 1\r\n") + "x", "413");
  refused(request("/metrics", "GET", "Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n", "413");
  refused("rubbish\r\n\r\n", "400");
  refused("GET /metrics HTTP/9.9\r\n\r\n", "400");
  EXPECT_FALSE(test::becomes_readable(served.link(), std::chrono::milliseconds(0)));
}

TEST(Server, RefusesAHeaderThatIsTooLong) {
  const Served served;
  const std::string most(Limits().header_bytes, 'x');
  EXPECT_THAT(read_all(served.client(request("/livez", "GET", "X: " + most + "\r\n")).get()),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(read_all(served.client(request("/" + most)).get()), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(
      served.exchange(request("/livez", "GET", "X: " + most.substr(200) + "\r\n"), ready_line()),
      EndsWith("ok\n"));
}

TEST(Server, ReadsARequestThatComesInPieces) {
  const Served served;
  const os::Fd connection = served.client("GET /liv");
  EXPECT_EQ(::write(connection.get(), "ez HTTP/1.1\r\n\r", 14), 14);
  EXPECT_EQ(::write(connection.get(), "\n", 1), 1);
  served.answer(ready_line());
  EXPECT_THAT(read_all(connection.get()), EndsWith("ok\n"));
}

TEST(Server, EndsWhenTheLinkIsClosed) {
  Served served;
  const os::Fd idle = served.client("GET");
  const os::Fd waiting = served.client(request("/livez"));
  EXPECT_TRUE(test::becomes_readable(served.link()));
  served.close_link();
  EXPECT_EQ(served.end(), 0);
  EXPECT_EQ(read_all(idle.get()), "");
}

}  // namespace
}  // namespace warminit::exporter
