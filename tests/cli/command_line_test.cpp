#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/parsing.h"
#include "os/child.h"
#include "warminit/cli/options.h"
#include "warminit/exporter/exporter.h"
#include "warminit/warm/holder.h"

/// COMMAND and the verbs.
namespace warminit::cli {
namespace {

using namespace std::chrono_literals;
using test::answer_to;
using test::options_of;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CommandLine, LeavesTheCommandUntouched) {
  const std::vector<std::vector<std::string>> commands{
      {"prog"},
      {"vllm", "serve", "--allowed-origins", "[\"*\"]"},
      {"prog", "[]", "[1,2,4]", "{}", "[\"*\"]", "%%", "\"quoted\""},
      {"prog", "--help"},
      {"--help"},
      {"--version"},
      {"--grace", "1s", "-g", "--hold=off"},
      {"hold"},
      {"devices", "--json"},
      {"prog", "", " ", "\n", "a b"},
      {"prog", "--", "--", "x"},
      {"--"},
      {"prog", "@file", "\xff\xfe", "--config=x.toml"},
  };
  for (const auto& command : commands) {
    std::vector<std::string> arguments{"--grace=7s", "--"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const Options options = options_of(arguments);
    EXPECT_THAT(options.init.command, ElementsAreArray(command));
    EXPECT_EQ(options.verb, Verb::run);
    EXPECT_EQ(options.init.grace, 7s);
    EXPECT_EQ(options.init.target, init::SignalTarget::command);
  }
}

TEST(CommandLine, EndsOurOptionsAtTheFirstDashes) {
  EXPECT_THAT(options_of({"--", "--", "-g"}).init.command, ElementsAre("--", "-g"));
}

TEST(Verbs, HoldRunsNoCommand) {
  const Options options = options_of({"hold", "--hold", "device"});
  EXPECT_EQ(options.verb, Verb::hold);
  EXPECT_EQ(options.holder.level, warm::HoldLevel::device);
  EXPECT_THAT(options.init.command, IsEmpty());
}

TEST(Verbs, DevicesPrintsTextOrJson) {
  EXPECT_EQ(options_of({"devices"}).verb, Verb::devices);
  EXPECT_FALSE(options_of({"devices"}).json);
  EXPECT_TRUE(options_of({"devices", "--json"}).json);
  EXPECT_EQ(options_of({"devices", "--driver-library=/x"}).holder.driver_library, "/x");
}

TEST(Verbs, HolderUnderstandsWhatInitWritesForIt) {
  warm::HolderOptions options;
  options.level = warm::HoldLevel::device;
  options.driver_library = "/a path/libcuda.so.1";
  options.init_timeout = 90s;
  std::vector<std::string> arguments = warm::holder_arguments(options);
  arguments.erase(arguments.begin());
  const Options fresh = options_of(arguments);
  EXPECT_EQ(fresh.verb, Verb::holder);
  EXPECT_EQ(fresh.holder.level, options.level);
  EXPECT_EQ(fresh.holder.driver_library, options.driver_library);
  EXPECT_EQ(fresh.holder.init_timeout, options.init_timeout);
  EXPECT_FALSE(fresh.holder.wait_until);
  EXPECT_FALSE(fresh.holder.without_mps);
  EXPECT_FALSE(fresh.holder.one_by_one);

  options.wait_until = 123456789012ms;  // Four years after the start of the machine.
  options.without_mps = true;
  options.one_by_one = true;
  arguments = warm::holder_arguments(options);
  arguments.erase(arguments.begin());
  const Options again = options_of(arguments);
  EXPECT_EQ(again.holder.wait_until, options.wait_until);
  EXPECT_TRUE(again.holder.without_mps);
  EXPECT_TRUE(again.holder.one_by_one);
}

TEST(Verbs, ExporterUnderstandsWhatInitWritesForIt) {
  // Not even a bad value of a variable, which init itself did not need, keeps it from starting.
  const test::ScopedVariable variable("WARMINIT_GRACE", "rubbish");
  for (const exporter::Address& address :
       {exporter::Address{"127.0.0.1", 9400}, exporter::Address{"::", 1}}) {
    auto arguments = exporter::exporter_arguments(address);
    arguments.erase(arguments.begin());
    const Options options = options_of(arguments);
    EXPECT_EQ(options.verb, Verb::exporter);
    EXPECT_EQ(options.metrics, address);
  }
}

TEST(Verbs, ExporterIsHidden) {
  EXPECT_THAT(answer_to({"--help"}).text, Not(HasSubstr("  exporter")));
  EXPECT_EQ(answer_to({"exporter"}).code, 125);
  EXPECT_EQ(answer_to({"exporter", "--metrics=x"}).code, 125);
}

TEST(Verbs, HolderIsHidden) {
  const std::string help = answer_to({"--help"}).text;
  EXPECT_THAT(help, HasSubstr("hold "));
  EXPECT_THAT(help, HasSubstr("devices "));
  EXPECT_THAT(help, Not(HasSubstr("  holder")));
  EXPECT_THAT(help, Not(HasSubstr("--without-mps")));
}

TEST(Help, NamesOptionsVariablesAndExitCodes) {
  const Answer answer = answer_to({"--help"});
  EXPECT_EQ(answer.code, 0);
  for (const char* word : {"-g",
                           "--hold",
                           "--require",
                           "--wait-ready",
                           "--init-timeout",
                           "--driver-library",
                           "--restart-delay",
                           "--restart-delay-max",
                           "--restart-limit",
                           "--grace",
                           "--log-level",
                           "--log-format",
                           "--metrics",
                           "--version",
                           "WARMINIT_GRACE",
                           "WARMINIT_WAIT_READY",
                           "125",
                           "126",
                           "127",
                           "128+n",
                           "context|device|off",
                           "any"})
    EXPECT_THAT(answer.text, HasSubstr(word));
}

TEST(Help, IsGivenForAVerb) {
  const Answer answer = answer_to({"devices", "--help"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.text, HasSubstr("--json"));
}

TEST(Version, IsOneLine) {
  const Answer answer = answer_to({"--version"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.text, "warminit " WARMINIT_VERSION "\n");
}

}  // namespace
}  // namespace warminit::cli
