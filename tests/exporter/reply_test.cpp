#include "warminit/exporter/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporter/samples.h"

namespace warminit::exporter {
namespace {

using test::full_status;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Answer answer_with(const nlohmann::json& status) { return parse_answer(test::answer_line(status)); }

const Answer& no_answer() {
  static const Answer kAnswer{nullptr, "PID 1 has not answered"};
  return kAnswer;
}

TEST(Answer, HoldsTheStatus) {
  EXPECT_EQ(answer_with(full_status()).status, full_status());
  EXPECT_EQ(answer_with(full_status()).problem, "");
}

TEST(Answer, ThatIsNoneIsAProblem) {
  EXPECT_EQ(parse_answer(R"({"version":1,"ok":false,"error":"busy"})").problem, "PID 1: busy");
  for (const char* line : {"", "x", "[]", "1", "{}", R"({"version":2,"ok":true,"status":{}})",
                           R"({"version":1,"ok":true})", R"({"version":1,"ok":true,"status":[]})",
                           R"({"version":1,"ok":1,"status":{}})", "{\"version\":1,\"ok\":\xff"}) {
    const Answer answer = parse_answer(line);
    EXPECT_TRUE(answer.status.is_null()) << line;
    EXPECT_THAT(answer.problem, StartsWith("PID 1")) << line;
  }
}

TEST(Endpoint, IsNamedByThePath) {
  EXPECT_EQ(endpoint_of("/metrics"), Endpoint::metrics);
  EXPECT_EQ(endpoint_of("/metrics?name=x"), Endpoint::metrics);
  EXPECT_EQ(endpoint_of("/livez"), Endpoint::live);
  EXPECT_EQ(endpoint_of("/readyz"), Endpoint::ready);
  for (const char* other : {"", "/", "/metrics/", "/Metrics", "metrics", "/readyz2", "*"})
    EXPECT_FALSE(endpoint_of(other)) << other;
}

TEST(Live, IsWhoeverAnswers) {
  EXPECT_EQ(reply_to(Endpoint::live, "", answer_with(full_status())).code, 200);
  EXPECT_EQ(reply_to(Endpoint::live, "", answer_with(full_status())).body, "ok\n");
  EXPECT_EQ(reply_to(Endpoint::live, "", no_answer()).code, 503);
  EXPECT_EQ(reply_to(Endpoint::live, "", no_answer()).body, "PID 1 has not answered\n");
}

TEST(Ready, IsWhoeverSaysSo) {
  EXPECT_EQ(reply_to(Endpoint::ready, "", answer_with({{"ready", true}})).code, 200);
  for (const nlohmann::json& status :
       {nlohmann::json{{"ready", false}}, nlohmann::json{{"ready", 1}}, nlohmann::json::object()})
    EXPECT_EQ(reply_to(Endpoint::ready, "", answer_with(status)).code, 503) << status;
  EXPECT_EQ(reply_to(Endpoint::ready, "", no_answer()).code, 503);
}

TEST(Ready, SaysOtherwiseWhatIsWrongWithWhichGpu) {
  auto status = full_status();
  EXPECT_EQ(reply_to(Endpoint::ready, "", answer_with(status)).body,
            "partial\nGPU 1 GPU-b failed: out of memory; free some\n");
  status["problem"] = {{"code", 0}, {"reason", "no driver"}, {"remedy", ""}};
  status["devices"] = nullptr;
  status["readiness"] = "not ready";
  EXPECT_EQ(reply_to(Endpoint::ready, "", answer_with(status)).body, "not ready\nno driver\n");
}

TEST(MetricsReply, IsOpenMetricsForWhoeverNamesIt) {
  for (const char* accept :
       {"application/openmetrics-text", "Application/OpenMetrics-Text; version=1.0.0",
        "text/plain;q=0.5,application/openmetrics-text;version=1.0.0;q=0.8"}) {
    const Reply reply = reply_to(Endpoint::metrics, accept, answer_with(full_status()));
    EXPECT_EQ(reply.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    EXPECT_THAT(reply.body, HasSubstr("# EOF"));
  }
  for (const char* accept : {"", "*/*", "text/plain", "text/html"}) {
    const Reply reply = reply_to(Endpoint::metrics, accept, no_answer());
    EXPECT_EQ(reply.code, 200);
    EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_THAT(reply.body, HasSubstr("warminit_up 0"));
  }
}

TEST(Http, IsWrittenWithTheLengthAlsoWithoutTheBody) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
      "Cache-Control: no-store\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(to_http({200, "ok\n"}, true), head + "ok\n");
  EXPECT_EQ(to_http({200, "ok\n"}, false), head);
  EXPECT_THAT(to_http(refusal(405), true), HasSubstr("\r\nAllow: GET, HEAD\r\n"));
  EXPECT_THAT(to_http(refusal(404), true), StartsWith("HTTP/1.1 404 Not Found\r\n"));
}

}  // namespace
}  // namespace warminit::exporter
