#include "warminit/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cli/parsing.h"
#include "os/child.h"

namespace warminit::cli {
namespace {

using namespace std::chrono_literals;
using test::options_of;
using test::ScopedVariable;
using warm::HoldLevel;
using warm::Requirement;

TEST(Options, HaveSensibleDefaults) {
  const Options options = options_of({"--", "prog"});
  EXPECT_EQ(options.verb, Verb::run);
  EXPECT_EQ(options.init.target, init::SignalTarget::command);
  EXPECT_EQ(options.holder.level, HoldLevel::context);
  EXPECT_EQ(options.holder.driver_library, "libcuda.so.1");
  EXPECT_EQ(options.holder.init_timeout, 30s);
  EXPECT_FALSE(options.holder.wait_until);
  EXPECT_FALSE(options.holder.without_mps);
  EXPECT_EQ(options.requirement, Requirement::none);
  EXPECT_FALSE(options.wait_ready);
  EXPECT_EQ(options.restart.delay, 1s);
  EXPECT_EQ(options.restart.delay_max, 60s);
  EXPECT_EQ(options.restart.limit, 10);
  EXPECT_EQ(options.init.grace, 5s);
  EXPECT_EQ(options.log_level, "info");
  EXPECT_EQ(options.log_format, LogFormat::text);
  EXPECT_FALSE(options.metrics);
  EXPECT_FALSE(options.json);
}

/// An option, a value and another one for it, and how to see which of them counts.
struct Case {
  const char* option;
  const char* variable;
  const char* value;
  const char* other;
  std::function<bool(const Options&)> has_value;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"--hold", "WARMINIT_HOLD", "device", "off",
       [](const Options& o) { return o.holder.level == HoldLevel::device; }},
      {"--require", "WARMINIT_REQUIRE", "any", "all",
       [](const Options& o) { return o.requirement == Requirement::any; }},
      {"--wait-ready", "WARMINIT_WAIT_READY", "7s", "8s",
       [](const Options& o) { return o.wait_ready == 7s; }},
      {"--init-timeout", "WARMINIT_INIT_TIMEOUT", "7s", "8s",
       [](const Options& o) { return o.holder.init_timeout == 7s; }},
      {"--driver-library", "WARMINIT_DRIVER_LIBRARY", "/x/libcuda.so.1", "/y",
       [](const Options& o) { return o.holder.driver_library == "/x/libcuda.so.1"; }},
      {"--restart-delay", "WARMINIT_RESTART_DELAY", "7ms", "8ms",
       [](const Options& o) { return o.restart.delay == 7ms; }},
      {"--restart-delay-max", "WARMINIT_RESTART_DELAY_MAX", "7m", "8m",
       [](const Options& o) { return o.restart.delay_max == 7min; }},
      {"--restart-limit", "WARMINIT_RESTART_LIMIT", "0", "8",
       [](const Options& o) { return o.restart.limit == 0; }},
      {"--grace", "WARMINIT_GRACE", "0s", "8s",
       [](const Options& o) { return o.init.grace == 0s; }},
      {"--metrics", "WARMINIT_METRICS", "0.0.0.0:7", ":8",
       [](const Options& o) {
         return o.metrics == exporter::Address{"0.0.0.0", 7};
       }},
      {"--log-level", "WARMINIT_LOG_LEVEL", "debug", "off",
       [](const Options& o) { return o.log_level == "debug"; }},
      {"--log-format", "WARMINIT_LOG_FORMAT", "json", "text",
       [](const Options& o) { return o.log_format == LogFormat::json; }},
  };
  return kCases;
}

TEST(Options, AreTakenFromTheCommandLine) {
  for (const Case& c : cases()) {
    const std::string option = c.option;
    EXPECT_TRUE(c.has_value(options_of({option + "=" + c.value, "--", "prog"}))) << option;
    EXPECT_TRUE(c.has_value(options_of({option, c.value, "--", "prog"}))) << option;
    EXPECT_FALSE(c.has_value(options_of({"--", "prog"}))) << option << ": tests nothing";
  }
}

TEST(Options, AreTakenFromTheirVariables) {
  for (const Case& c : cases()) {
    const ScopedVariable variable(c.variable, c.value);
    EXPECT_TRUE(c.has_value(options_of({"--", "prog"}))) << c.variable;
    EXPECT_TRUE(c.has_value(options_of({"hold"}))) << c.variable;
  }
}

TEST(Options, WinOverTheirVariables) {
  for (const Case& c : cases()) {
    const ScopedVariable variable(c.variable, c.other);
    EXPECT_TRUE(c.has_value(options_of({std::string(c.option) + "=" + c.value, "--", "prog"})))
        << c.option;
  }
}

TEST(Options, CountByTheirLastMention) {
  EXPECT_EQ(options_of({"--grace=1s", "--grace=2s", "--", "prog"}).init.grace, 2s);
  EXPECT_EQ(options_of({"--hold=off", "--hold", "device", "--", "prog"}).holder.level,
            HoldLevel::device);
}

TEST(Options, AreUnsetByAnEmptyVariable) {
  for (const Case& c : cases()) {
    const ScopedVariable variable(c.variable, "");
    EXPECT_FALSE(c.has_value(options_of({"--", "prog"}))) << c.variable;
  }
}

TEST(Options, MayStandBeforeAndBehindTheVerb) {
  EXPECT_EQ(options_of({"--grace=7s", "hold"}).init.grace, 7s);
  EXPECT_EQ(options_of({"hold", "--grace=7s"}).init.grace, 7s);
}

TEST(Flags, AreSetByTheirVariableInTheUsualWords) {
  for (const char* yes : {"1", "true", "yes", "on"}) {
    const ScopedVariable variable("WARMINIT_SIGNAL_GROUP", yes);
    EXPECT_EQ(options_of({"--", "prog"}).init.target, init::SignalTarget::group) << yes;
  }
  for (const char* no : {"0", "false", "no", "off", ""}) {
    const ScopedVariable variable("WARMINIT_SIGNAL_GROUP", no);
    EXPECT_EQ(options_of({"--", "prog"}).init.target, init::SignalTarget::command) << no;
    EXPECT_EQ(options_of({"-g", "--", "prog"}).init.target, init::SignalTarget::group) << no;
  }
}

TEST(WaitReady, IsSwitchedOffByAWordForNo) {
  const ScopedVariable variable("WARMINIT_WAIT_READY", "false");
  EXPECT_FALSE(options_of({"--", "prog"}).wait_ready);
}

TEST(DriverLibrary, IsFoundAlsoFromAnotherFolder) {
  EXPECT_THAT(options_of({"--driver-library=./x.so", "--", "prog"}).holder.driver_library,
              ::testing::MatchesRegex("/.*/x\\.so"));
  EXPECT_EQ(options_of({"--driver-library=x.so", "--", "prog"}).holder.driver_library, "x.so");
}

TEST(Metrics, AreOnTheLoopbackWhereNoAddressIsGiven) {
  const exporter::Address expected{"127.0.0.1", 9400};
  EXPECT_EQ(options_of({"--metrics", ":9400", "--", "prog"}).metrics, expected);
  EXPECT_EQ(options_of({"hold", "--metrics=9400"}).metrics, expected);
}

TEST(WaitReady, WithoutAValueIsTheInitTimeout) {
  EXPECT_EQ(options_of({"--wait-ready", "--init-timeout=7s", "--", "prog"}).wait_ready, 7s);
  EXPECT_EQ(options_of({"--init-timeout=7s", "--wait-ready", "--", "prog"}).wait_ready, 7s);
  EXPECT_EQ(options_of({"--wait-ready", "--", "9s"}).wait_ready, 30s);
  EXPECT_EQ(options_of({"--wait-ready", "hold"}).wait_ready, 30s);
  EXPECT_EQ(options_of({"--wait-ready", "hold"}).verb, Verb::hold);
}

TEST(WaitReady, OfTheVariableMayBeAWordForYes) {
  const ScopedVariable variable("WARMINIT_WAIT_READY", "true");
  EXPECT_EQ(options_of({"--", "prog"}).wait_ready, 30s);
}

TEST(WaitReady, IsImpliedByARequirement) {
  EXPECT_EQ(options_of({"--require=all", "--", "prog"}).wait_ready, 30s);
  EXPECT_EQ(options_of({"--require=any", "--init-timeout=7s", "--", "prog"}).wait_ready, 7s);
  EXPECT_EQ(options_of({"--require=any", "--wait-ready=9s", "--", "prog"}).wait_ready, 9s);
  EXPECT_FALSE(options_of({"--require=none", "--", "prog"}).wait_ready);
}

TEST(WaitReady, CountsByItsLastMention) {
  EXPECT_EQ(options_of({"--wait-ready=1s", "--wait-ready=2s", "--", "prog"}).wait_ready, 2s);
}

}  // namespace
}  // namespace warminit::cli
