#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/parsing.h"
#include "os/child.h"

/// Every mistake is exit code 125 and one line that says what, where and what instead.
namespace warminit::cli {
namespace {

using test::answer_to;
using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void expect_refusal(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& words) {
  const Answer answer = answer_to(arguments);
  EXPECT_EQ(answer.code, 125);
  EXPECT_THAT(answer.text, AllOf(StartsWith("warminit: "), EndsWith("\n")));
  EXPECT_EQ(answer.text.find('\n'), answer.text.size() - 1) << answer.text;
  for (const std::string& word : words) EXPECT_THAT(answer.text, HasSubstr(word));
}

TEST(BadValue, IsRefusedWithOptionValueAndRemedy) {
  struct Case {
    const char* option;
    const char* value;
    const char* remedy;
  };
  const Case cases[] = {
      {"--hold", "contexts", "context|device|off"},
      {"--require", "one", "all|any|none"},
      {"--wait-ready", "5", "500ms"},
      {"--wait-ready", "1", "500ms"},
      {"--wait-ready", "0", "500ms"},
      {"--init-timeout", "30", "500ms"},
      {"--init-timeout", "-1s", "500ms"},
      {"--restart-delay", "soon", "500ms"},
      {"--restart-delay-max", "1d", "500ms"},
      {"--restart-limit", "-1", "number from 0"},
      {"--restart-limit", "ten", "number from 0"},
      {"--restart-limit", "99999999999", "number from 0"},
      {"--grace", "5", "500ms"},
      {"--log-level", "verbose", "debug|error|info|off|warn"},
      {"--log-format", "xml", "json|text"},
      {"--stop-timeout", "10", "500ms"},
      {"--rewrite", "TERM", "TERM:QUIT"},
      {"--rewrite", "NOPE:TERM", "'NOPE' is no signal; write a name or number"},
      {"--success-code", "256", "0 to 255"},
      {"--success-code", "-1", "0 to 255"},
      {"--parent-death-signal", "SIGNOPE", "name or number"},
      {"--metrics", "host:9400", "127.0.0.1:9400"},
      {"--metrics", "0", "127.0.0.1:9400"},
      {"--metrics", "::1:9400", "[::]:9400"},
  };
  for (const auto& [option, value, remedy] : cases)
    expect_refusal({std::string(option) + "=" + value, "--", "prog"},
                   {option, fmt::format("'{:.4}", value), remedy});
}

TEST(BadValue, OfAVariableNamesTheVariable) {
  struct Case {
    const char* variable;
    const char* option;
  };
  const Case cases[] = {
      {"WARMINIT_HOLD", "--hold"},
      {"WARMINIT_REQUIRE", "--require"},
      {"WARMINIT_WAIT_READY", "--wait-ready"},
      {"WARMINIT_INIT_TIMEOUT", "--init-timeout"},
      {"WARMINIT_RESTART_DELAY", "--restart-delay"},
      {"WARMINIT_RESTART_DELAY_MAX", "--restart-delay-max"},
      {"WARMINIT_RESTART_LIMIT", "--restart-limit"},
      {"WARMINIT_GRACE", "--grace"},
      {"WARMINIT_METRICS", "--metrics"},
      {"WARMINIT_LOG_LEVEL", "--log-level"},
      {"WARMINIT_LOG_FORMAT", "--log-format"},
      {"WARMINIT_STOP_TIMEOUT", "--stop-timeout"},
      {"WARMINIT_REWRITE", "--rewrite"},
      {"WARMINIT_SUCCESS_CODE", "--success-code"},
      {"WARMINIT_PARENT_DEATH_SIGNAL", "--parent-death-signal"},
      {"WARMINIT_SIGNAL_GROUP", "--signal-group"},
      {"WARMINIT_WARN_ON_REAP", "--warn-on-reap"},
  };
  for (const auto& [name, option] : cases) {
    const ScopedVariable variable(name, "rubbish");
    expect_refusal({"--", "prog"}, {name, option, "'rubbish'"});
  }
}

TEST(BadValue, ThatIsMissingNamesTheOption) {
  for (const char* option : {"--hold", "--require", "--init-timeout", "--driver-library", "--grace",
                             "--restart-limit", "--log-level"})
    expect_refusal({option, "--", "prog"}, {option, "missing"});
}

TEST(BadOption, IsNamed) {
  expect_refusal({"--graze=1s", "--", "prog"}, {"--graze=1s"});
  expect_refusal({"-x", "--", "prog"}, {"-x"});
  expect_refusal({"hold", "--json"}, {"--json"});
  expect_refusal({"--wait-until=1s", "--", "prog"}, {"--wait-until"});
  expect_refusal({"--without-mps", "--", "prog"}, {"--without-mps"});
}

TEST(BadCommand, IsNamed) {
  expect_refusal({}, {"COMMAND", "warminit [options] -- COMMAND"});
  expect_refusal({"--grace=1s"}, {"COMMAND", "warminit [options] -- COMMAND"});
  expect_refusal({"--"}, {"COMMAND", "nothing after --"});
  expect_refusal({"python", "serve.py"}, {"python", "serve.py"});  // -- is missing.
  expect_refusal({"python", "--", "serve.py"}, {"python"});
}

TEST(BadCombination, IsRefused) {
  expect_refusal({"hold", "--", "prog"}, {"COMMAND", "leave out --"});
  expect_refusal({"hold", "--"}, {"COMMAND", "leave out --"});
  expect_refusal({"devices", "--", "prog"}, {"COMMAND", "leave out --"});
  expect_refusal({"hold", "devices"}, {"devices"});
  expect_refusal({"--require=any", "--hold=off", "--", "prog"}, {"--require", "--hold context"});
  const ScopedVariable off("WARMINIT_HOLD", "off");
  expect_refusal({"--require=all", "--", "prog"}, {"--require", "--hold context"});
}

TEST(BadCombination, OfWaitingForGpusThatNobodyWarms) {
  expect_refusal({"--wait-ready", "--hold=off", "--", "prog"}, {"--wait-ready", "--hold context"});
}

TEST(BadCommand, WithoutDashesIsToldToWriteThem) {
  expect_refusal({"python", "serve.py"}, {"python serve.py", "--"});
}

}  // namespace
}  // namespace warminit::cli
