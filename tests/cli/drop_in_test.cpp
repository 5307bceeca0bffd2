#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "os/child.h"
#include "warminit/cli/options.h"

/// The command lines of other inits, under their names and under ours.
namespace warminit::cli {
namespace {

using init::SignalTarget;
using test::ScopedVariable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

Options options_as(const std::vector<std::string>& argv) {
  const auto parsed = parse(argv);
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    ADD_FAILURE() << answer->text;
    return {};
  }
  return std::get<Options>(parsed);
}

Answer answer_as(const std::vector<std::string>& argv) {
  const auto parsed = parse(argv);
  if (const auto* answer = std::get_if<Answer>(&parsed)) return *answer;
  ADD_FAILURE() << "was taken for an order";
  return {};
}

TEST(DropIn, IsKnownByTheNameOfTheLink) {
  for (const char* name : {"tini", "/sbin/docker-init", "./tini-static", "/usr/bin/dumb-init",
                           "dumb-init_1.2.5_x86_64", "catatonit"})
    EXPECT_THAT(options_as({name, "prog", "-x"}).init.command, ElementsAre("prog", "-x")) << name;
  EXPECT_EQ(answer_as({"/sbin/init", "prog"}).code, 125);
  EXPECT_EQ(answer_as({"tinier", "prog"}).code, 125);
}

TEST(DropIn, LeavesWhatFollowsTheCommandToIt) {
  const auto options = options_as({"tini", "-g", "prog", "-s", "--", "-v", "[1,2]"});
  EXPECT_THAT(options.init.command, ElementsAre("prog", "-s", "--", "-v", "[1,2]"));
  EXPECT_EQ(options.init.target, SignalTarget::group);
}

TEST(DropIn, TakesDashesBeforeTheCommand) {
  EXPECT_THAT(options_as({"tini", "--", "-prog", "--"}).init.command, ElementsAre("-prog", "--"));
  EXPECT_THAT(options_as({"dumb-init", "--", "prog"}).init.command, ElementsAre("prog"));
}

TEST(DropIn, TakesAVerbOfOursForACommand) {
  EXPECT_THAT(options_as({"tini", "hold"}).init.command, ElementsAre("hold"));
  EXPECT_EQ(options_as({"tini", "hold"}).verb, Verb::run);
}

TEST(DropIn, TakesOurOptionsToo) {
  const auto options = options_as({"tini", "--hold", "device", "--grace=1s", "prog"});
  EXPECT_EQ(options.holder.level, warm::HoldLevel::device);
  EXPECT_THAT(options.init.command, ElementsAre("prog"));
}

TEST(DropIn, RefusesInOneLineWithItsOwnCode) {
  for (const char* name : {"tini", "dumb-init", "catatonit"}) {
    const auto missing = answer_as({name});
    EXPECT_EQ(missing.code, 1);
    EXPECT_THAT(missing.text, HasSubstr(std::string(name) + " [options] -- COMMAND"));
    EXPECT_EQ(answer_as({name, "--nope", "prog"}).code, 1);
  }
}

TEST(Tini, TakesEveryOptionAndVariable) {
  const auto options =
      options_as({"tini", "-s", "-gvw", "-p", "SIGKILL", "-e", "143", "-e130", "prog"});
  EXPECT_EQ(options.init.target, SignalTarget::group);
  EXPECT_TRUE(options.init.warn_on_reap);
  EXPECT_EQ(options.init.parent_death_signal, SIGKILL);
  EXPECT_THAT(options.init.success_codes, ElementsAre(130, 143));
  EXPECT_EQ(options.log_level, "info");
  EXPECT_THAT(options.init.command, ElementsAre("prog"));

  const ScopedVariable subreaper("TINI_SUBREAPER", "");
  const ScopedVariable group("TINI_KILL_PROCESS_GROUP", "");
  const ScopedVariable verbosity("TINI_VERBOSITY", "3");
  EXPECT_EQ(options_as({"tini", "prog"}).init.target, SignalTarget::group);
  EXPECT_EQ(options_as({"tini", "prog"}).log_level, "debug");
}

TEST(Tini, BehavesAsTiniDoes) {
  const auto options = options_as({"tini", "prog"});
  EXPECT_EQ(options.init.target, SignalTarget::command);
  EXPECT_FALSE(options.init.own_session);
  EXPECT_EQ(options.log_level, "warn");
  EXPECT_EQ(options.init.codes.not_found, 127);
  EXPECT_EQ(options.init.codes.not_executable, 126);
  EXPECT_EQ(options.init.codes.cannot_start, 1);
}

TEST(Tini, HasAVersionThatDockerReads) {
  for (const char* name : {"tini", "docker-init", "catatonit"})
    EXPECT_EQ(answer_as({name, "--version"}).text, "tini version " WARMINIT_VERSION "_warminit\n");
}

TEST(DumbInit, BehavesAsDumbInitDoes) {
  const auto options = options_as({"dumb-init", "prog"});
  EXPECT_EQ(options.init.target, SignalTarget::group);
  EXPECT_TRUE(options.init.own_session);
  EXPECT_EQ(options.init.codes.not_found, 2);
  EXPECT_EQ(options.init.codes.not_executable, 2);
}

TEST(DumbInit, TakesEveryOptionAndVariable) {
  const auto options = options_as(
      {"dumb-init", "-v", "--rewrite", "15:3", "-r", "HUP:0", "-rTERM:QUIT", "-c", "prog"});
  EXPECT_THAT(options.init.rewrites, ElementsAre(Pair(SIGHUP, 0), Pair(SIGTERM, SIGQUIT)));
  EXPECT_EQ(options.init.target, SignalTarget::command);
  EXPECT_FALSE(options.init.own_session);
  EXPECT_TRUE(
      options_as({"dumb-init", "--single-child", "--verbose", "prog"}).init.codes.not_found == 2);
  const ScopedVariable setsid("DUMB_INIT_SETSID", "0");
  const ScopedVariable debug("DUMB_INIT_DEBUG", "1");
  EXPECT_FALSE(options_as({"dumb-init", "prog"}).init.own_session);
  EXPECT_EQ(options_as({"dumb-init", "prog"}).init.target, SignalTarget::command);
  EXPECT_EQ(options_as({"dumb-init", "prog"}).log_level, "debug");
  EXPECT_THAT(answer_as({"dumb-init", "-V"}).text, StartsWith("dumb-init v"));
}

TEST(Catatonit, TakesEveryOption) {
  EXPECT_EQ(options_as({"catatonit", "-g", "--", "prog"}).init.target, SignalTarget::group);
  EXPECT_EQ(options_as({"catatonit", "-P"}).verb, Verb::hold);
  EXPECT_EQ(options_as({"catatonit", "prog"}).init.codes.not_found, 1);
  EXPECT_THAT(answer_as({"catatonit", "-V"}).text, StartsWith("tini version "));
  EXPECT_THAT(answer_as({"catatonit", "-L"}).text, HasSubstr("Apache"));
}

TEST(OwnName, TakesTheOptionsOfTheOthersToo) {
  const auto options = options_as({"warminit", "-s", "-w", "-p", "KILL", "-e", "143", "-r", "15:3",
                                   "--stop-timeout=9s", "-v", "--", "prog"});
  EXPECT_EQ(options.init.parent_death_signal, SIGKILL);
  EXPECT_THAT(options.init.success_codes, ElementsAre(143));
  EXPECT_THAT(options.init.rewrites, ElementsAre(Pair(SIGTERM, SIGQUIT)));
  EXPECT_EQ(options.init.stop_timeout, std::chrono::seconds(9));
  EXPECT_EQ(options.log_level, "debug");
  EXPECT_EQ(options.init.target, SignalTarget::command);
  EXPECT_THAT(options_as({"warminit", "-P"}).init.command, IsEmpty());
}

TEST(OwnName, TakesListsFromVariables) {
  const ScopedVariable rewrite("WARMINIT_REWRITE", "TERM:QUIT,HUP:0");
  const ScopedVariable codes("WARMINIT_SUCCESS_CODE", "143,130");
  const auto options = options_as({"warminit", "--", "prog"});
  EXPECT_THAT(options.init.rewrites, ElementsAre(Pair(SIGHUP, 0), Pair(SIGTERM, SIGQUIT)));
  EXPECT_THAT(options.init.success_codes, ElementsAre(130, 143));
}

TEST(LogLevel, GivenOutrightBeatsVerbosity) {
  const ScopedVariable verbosity("TINI_VERBOSITY", "0");
  EXPECT_EQ(options_as({"tini", "prog"}).log_level, "error");
  EXPECT_EQ(options_as({"tini", "-v", "--log-level=off", "prog"}).log_level, "off");
}

TEST(BareCommand, MeansTheSameAsWithEveryDefaultSpelledOut) {
  for (const char* name : {"warminit", "tini", "dumb-init", "catatonit"}) {
    const auto bare = options_as({name, "--", "prog", "--", "[1,2]"});
    // Any variable of ours takes the long way.
    const ScopedVariable variable("WARMINIT_GRACE", "5s");
    const auto full = options_as({name, "--", "prog", "--", "[1,2]"});
    EXPECT_EQ(bare.init.command, full.init.command) << name;
    EXPECT_EQ(bare.init.target, full.init.target) << name;
    EXPECT_EQ(bare.init.own_session, full.init.own_session) << name;
    EXPECT_EQ(bare.init.grace, full.init.grace) << name;
    EXPECT_EQ(bare.init.codes.not_found, full.init.codes.not_found) << name;
    EXPECT_EQ(bare.holder.driver_library, full.holder.driver_library) << name;
    EXPECT_EQ(bare.holder.level, full.holder.level) << name;
    EXPECT_EQ(bare.holder.init_timeout, full.holder.init_timeout) << name;
    EXPECT_EQ(bare.restart.limit, full.restart.limit) << name;
    EXPECT_EQ(bare.requirement, full.requirement) << name;
    EXPECT_EQ(bare.wait_ready, full.wait_ready) << name;
    EXPECT_EQ(bare.log_level, full.log_level) << name;
  }
}

}  // namespace
}  // namespace warminit::cli
