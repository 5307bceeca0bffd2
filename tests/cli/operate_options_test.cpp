#include "warminit/cli/operate_options.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/parsing.h"
#include "os/child.h"

namespace warminit::cli {
namespace {

using namespace std::chrono_literals;
using test::answer_to;
using test::options_of;
using test::ScopedVariable;
using ::testing::HasSubstr;

TEST(OperateOptions, HaveSensibleDefaults) {
  const OperateOptions options = options_of({"--", "prog"}).operate;
  EXPECT_EQ(options.socket, "/run/warminit/control.sock");
  EXPECT_FALSE(options.socket_given);
  EXPECT_FALSE(options.socket_group);
  EXPECT_FALSE(options.ready.fd);
  EXPECT_EQ(options.ready.file, "");
  EXPECT_FALSE(options.ready.notify);
  EXPECT_EQ(options.timeout, 60s);
  EXPECT_EQ(options_of({"--", "prog"}).holder.health_interval, 60s);
  EXPECT_EQ(options_of({"--", "prog"}).holder.release_after, 0s) << "held for the whole life";
}

struct Case {
  const char* option;
  const char* variable;
  const char* value;
  const char* other;
  std::function<bool(const Options&)> has_value;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"--socket", "WARMINIT_SOCKET", "/x/s", "/y",
       [](const Options& o) { return o.operate.socket == "/x/s" && o.operate.socket_given; }},
      {"--socket", "WARMINIT_SOCKET", "none", "/y",
       [](const Options& o) { return o.operate.socket.empty(); }},
      {"--socket-group", "WARMINIT_SOCKET_GROUP", "1234", "5",
       [](const Options& o) { return o.operate.socket_group == 1234U; }},
      {"--socket-group", "WARMINIT_SOCKET_GROUP", "root", "5",
       [](const Options& o) { return o.operate.socket_group == 0U; }},
      {"--ready-fd", "WARMINIT_READY_FD", "7", "8",
       [](const Options& o) { return o.operate.ready.fd == 7; }},
      {"--ready-file", "WARMINIT_READY_FILE", "/x/ready", "/y",
       [](const Options& o) { return o.operate.ready.file == "/x/ready"; }},
      {"--health-interval", "WARMINIT_HEALTH_INTERVAL", "0s", "8s",
       [](const Options& o) { return o.holder.health_interval == 0s; }},
      {"--release-after", "WARMINIT_RELEASE_AFTER", "10m", "8s",
       [](const Options& o) { return o.holder.release_after == 10min; }},
  };
  return kCases;
}

TEST(OperateOptions, AreTakenFromTheCommandLineAndItWinsOverTheirVariables) {
  for (const Case& c : cases()) {
    const std::string option = c.option;
    EXPECT_FALSE(c.has_value(options_of({"--", "prog"}))) << option << ": tests nothing";
    EXPECT_TRUE(c.has_value(options_of({option, c.value, "--", "prog"}))) << option;
    const ScopedVariable variable(c.variable, c.other);
    EXPECT_FALSE(c.has_value(options_of({"--", "prog"}))) << option;
    EXPECT_TRUE(c.has_value(options_of({option + "=" + c.value, "--", "prog"}))) << option;
  }
}

TEST(OperateOptions, AreTakenFromTheirVariables) {
  for (const Case& c : cases()) {
    const ScopedVariable variable(c.variable, c.value);
    EXPECT_TRUE(c.has_value(options_of({"--", "prog"}))) << c.variable;
  }
}

TEST(Notify, IsAFlagWithAVariable) {
  EXPECT_TRUE(options_of({"--notify", "--", "prog"}).operate.ready.notify);
  const ScopedVariable variable("WARMINIT_NOTIFY", "true");
  EXPECT_TRUE(options_of({"--", "prog"}).operate.ready.notify);
}

TEST(OperateOptions, NamePathsThatAreFoundAlsoFromAnotherFolder) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(options_of({"--socket=s", "--", "prog"}).operate.socket, here + "/s");
  EXPECT_EQ(options_of({"--ready-file=r", "--", "prog"}).operate.ready.file, here + "/r");
}

TEST(OperateOptions, AreRefusedWithOptionValueAndRemedy) {
  struct Refused {
    const char* option;
    const char* value;
    const char* why;
  };
  const Refused refused[] = {
      {"--socket", "", "'' is no path; write one, or none"},
      {"--socket-group", "no-such-group", "'no-such-group' is no group here"},
      {"--socket-group", "-1", "'-1' is no group here"},
      {"--socket-group", "", "'' is no group here"},
      {"--ready-fd", "2", "'2' is no descriptor; write a number from 3 on"},
      {"--ready-fd", "-3", "'-3' is no descriptor"},
      {"--ready-fd", "three", "'three' is no descriptor"},
      {"--ready-fd", "99999999999", "is no descriptor"},
      {"--ready-file", "", "'' is no path"},
      {"--health-interval", "60", "500ms"},
      {"--health-interval", "-1s", "500ms"},
      {"--release-after", "never", "500ms"},
  };
  for (const auto& [option, value, why] : refused) {
    const Answer answer = answer_to({option, value, "--", "prog"});
    EXPECT_EQ(answer.code, 125) << option << value;
    EXPECT_THAT(answer.text, HasSubstr(option));
    EXPECT_THAT(answer.text, HasSubstr(why));
  }
}

TEST(ClientVerb, IsReadWithItsOptions) {
  const Options status = options_of({"status", "--json", "--ready", "--timeout=7s"});
  EXPECT_EQ(status.verb, Verb::status);
  EXPECT_TRUE(status.json);
  EXPECT_TRUE(status.operate.ready_only);
  EXPECT_FALSE(status.operate.live_only);
  EXPECT_EQ(status.operate.timeout, 7s);
  EXPECT_TRUE(options_of({"status", "--live"}).operate.live_only);
  EXPECT_TRUE(options_of({"status", "--probe"}).operate.probe);
  EXPECT_EQ(options_of({"wait", "--timeout", "7s"}).verb, Verb::wait);
  EXPECT_EQ(options_of({"release"}).verb, Verb::release);
  EXPECT_EQ(options_of({"acquire"}).verb, Verb::acquire);
}

TEST(ClientVerb, FindsItsSocketBeforeOrBehindItOrInTheVariable) {
  EXPECT_EQ(options_of({"--socket=/x", "status"}).operate.socket, "/x");
  EXPECT_EQ(options_of({"status", "--socket=/x"}).operate.socket, "/x");
  const ScopedVariable variable("WARMINIT_SOCKET", "/x");
  EXPECT_EQ(options_of({"wait"}).operate.socket, "/x");
}

TEST(ClientVerb, RefusesWhatItDoesNotKnow) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"status", "--timeout=7"},
                                                                     {"status", "--", "prog"},
                                                                     {"wait", "--json"},
                                                                     {"release", "--probe"},
                                                                     {"status", "wait"},
                                                                     {"--json", "--", "prog"}})
    EXPECT_EQ(answer_to(arguments).code, 125) << arguments.front() << arguments.back();
}

}  // namespace
}  // namespace warminit::cli
