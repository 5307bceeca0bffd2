#include "warminit/warm/control_protocol.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace warminit::warm {
namespace {

using nlohmann::json;

constexpr ControlVerb kAll[] = {ControlVerb::status, ControlVerb::wait, ControlVerb::release,
                                ControlVerb::acquire, ControlVerb::probe};

/// Why `line` is refused; "taken" if it is not.
std::string refusal_of(const std::string& line) {
  const auto request = parse_request(line);
  const auto* why = std::get_if<std::string>(&request);
  return why != nullptr ? *why : "taken";
}

TEST(Request, OfEachVerbIsReadBack) {
  for (const ControlVerb verb : kAll) {
    const std::string line = request_line(verb);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    const auto request = parse_request(std::string_view(line).substr(0, line.size() - 1));
    ASSERT_TRUE(std::holds_alternative<ControlVerb>(request)) << line;
    EXPECT_EQ(std::get<ControlVerb>(request), verb) << line;
  }
}

TEST(Request, LooksAsTheProtocolSays) {
  EXPECT_EQ(json::parse(request_line(ControlVerb::status)),
            json::parse(R"({"version":1,"verb":"status"})"));
}

TEST(Request, MayHaveSpacesAReturnAndMoreFields) {
  EXPECT_EQ(refusal_of(" { \"verb\" : \"wait\" , \"version\" : 1, \"later\" : [] } \r"), "taken");
}

TEST(Request, ThatIsNoObjectIsRefused) {
  for (const char* line : {"", " ", "x", "{", "status", "[]", "[{\"version\":1}]", "null", "17",
                           "\"status\"", "{\"version\":1,\"verb\":\"status\"} x", "{}{}"})
    EXPECT_EQ(refusal_of(line), "not a JSON object on a line") << line;
}

TEST(Request, OfDeepBracketsIsRefused) {
  for (const char* bracket : {"[", "{\"a\":", "{\"verb\":["}) {
    std::string line;
    while (line.size() < kMostRequestBytes) line += bracket;
    EXPECT_EQ(refusal_of(line), "not a JSON object on a line");
  }
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(refusal_of(R"({"version":1,"verb":)" + deep + "}"),
            "\"verb\" is missing; status, wait, release, acquire and probe are known");
}

TEST(Request, ThatIsNoUtf8IsRefused) {
  EXPECT_EQ(refusal_of("\xff\xfe"), "not a JSON object on a line");
  EXPECT_EQ(refusal_of("{\"version\":1,\"verb\":\"st\xff\"}"), "not a JSON object on a line");
  EXPECT_EQ(refusal_of(std::string("{\0}", 3)), "not a JSON object on a line");
}

TEST(Request, WithoutAVersionIsRefused) {
  for (const char* line : {"{}", R"({"verb":"status"})", R"({"version":"1","verb":"status"})",
                           R"({"version":1.5,"verb":"status"})", R"({"version":null})"})
    EXPECT_EQ(refusal_of(line), "\"version\" is missing; this is version 1") << line;
}

TEST(Request, OfAnotherVersionIsRefused) {
  EXPECT_EQ(refusal_of(R"({"version":2,"verb":"status"})"), "version 2 is not spoken here, but 1");
  EXPECT_EQ(refusal_of(R"({"version":-1,"verb":"status"})"),
            "version -1 is not spoken here, but 1");
  EXPECT_EQ(refusal_of(R"({"version":18446744073709551615})"),
            "version 18446744073709551615 is not spoken here, but 1");
}

TEST(Request, WithoutAVerbIsRefused) {
  for (const char* line : {R"({"version":1})", R"({"version":1,"verb":1})",
                           R"({"version":1,"verb":null})", R"({"version":1,"verb":["status"]})"})
    EXPECT_EQ(refusal_of(line),
              "\"verb\" is missing; status, wait, release, acquire and probe are known")
        << line;
}

TEST(Request, OfAVerbThatIsNotKnownIsRefused) {
  for (const char* verb : {"", "Status", "stop", "status ", "holder"})
    EXPECT_EQ(refusal_of(json{{"version", 1}, {"verb", verb}}.dump()),
              "this verb is not known; status, wait, release, acquire and probe are")
        << verb;
}

TEST(Verb, OnlyReadsOrActs) {
  EXPECT_TRUE(only_reads(ControlVerb::status));
  EXPECT_TRUE(only_reads(ControlVerb::wait));
  EXPECT_FALSE(only_reads(ControlVerb::release));
  EXPECT_FALSE(only_reads(ControlVerb::acquire));
  EXPECT_FALSE(only_reads(ControlVerb::probe));  // Costs a context on every GPU.
}

TEST(Answer, IsOneLineWithVersionAndStatus) {
  const std::string line = answer_line({{"name", "two\nlines \xff"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  const json answer = json::parse(line);
  EXPECT_EQ(answer.at("version"), 1);
  EXPECT_EQ(answer.at("ok"), true);
  EXPECT_EQ(answer.at("status").at("name"), "two\nlines \xEF\xBF\xBD");
}

TEST(Refusal, IsOneLineThatSaysWhy) {
  const json answer = json::parse(refusal_line("because"));
  EXPECT_EQ(answer.at("version"), 1);
  EXPECT_EQ(answer.at("ok"), false);
  EXPECT_EQ(answer.at("error"), "because");
  EXPECT_FALSE(answer.contains("status"));
}

}  // namespace
}  // namespace warminit::warm
