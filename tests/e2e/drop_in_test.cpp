#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "support/process.h"
#include "support/temporary_folder.h"

/// Links by the names of other inits.
namespace warminit::test {
namespace {

class DropIn : public testing::Test {
 protected:
  /// warminit by another name, without a holder.
  Process::Options as(const std::string& name, std::vector<std::string> arguments) {
    const std::string link = folder_.path() + "/" + name;
    EXPECT_EQ(::symlink(WARMINIT_BINARY, link.c_str()), 0);
    links_.push_back(link);
    arguments.insert(arguments.begin(), link);
    Process::Options options{.argv = std::move(arguments)};
    options.environment = {{"WARMINIT_HOLD", "off"}};
    return options;
  }
  void TearDown() override {
    for (const std::string& link : links_) ::unlink(link.c_str());
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> links_;
};

TEST_F(DropIn, RunsTheCommandWithoutDashesAndSaysNothing) {
  for (const char* name : {"tini", "docker-init", "dumb-init", "catatonit"}) {
    Process process(as(name, {"sh", "-c", "exit 42"}));
    EXPECT_EQ(process.wait(), 42) << name;
    EXPECT_EQ(process.err(), "") << name;
  }
}

TEST_F(DropIn, GivesItsOwnCodesForACommandThatCannotBeStarted) {
  struct Case {
    const char* name;
    int not_found;
    int not_executable;
  };
  for (const auto& [name, not_found, not_executable] :
       {Case{"tini", 127, 126}, Case{"dumb-init", 2, 2}, Case{"catatonit", 1, 1}}) {
    Process absent(as(name, {"/nowhere/prog"}));
    EXPECT_EQ(absent.wait(), not_found) << name;
    EXPECT_EQ(count(absent.err(), "not found"), 1) << absent.err();
    TearDown();
    Process data(as(name, {"/etc/passwd"}));
    EXPECT_EQ(data.wait(), not_executable) << name;
  }
}

TEST_F(DropIn, OfDumbInitRunsItInASessionAndSignalsItsGroup) {
  Process process(as("dumb-init", {"-v", program("surroundings")}));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(count(process.out(), "session leader 1\n"), 1) << process.out();
  TearDown();
  Process alone(as("dumb-init", {"-c", program("surroundings")}));
  EXPECT_EQ(alone.wait(), 0);
  EXPECT_EQ(count(alone.out(), "session leader 0\n"), 1) << alone.out();
}

TEST_F(DropIn, OfDumbInitRewritesSignals) {
  Process process(as("dumb-init", {"-r", "15:10", "-r", "HUP:0", program("signals"), "1000"}));
  ASSERT_TRUE(process.wait_for("listening"));
  process.signal(SIGHUP);
  process.signal(SIGTERM);
  EXPECT_TRUE(process.wait_for("signal 10\n"));
  EXPECT_EQ(count(process.out(), "signal 1\n"), 0) << process.out();
}

TEST_F(DropIn, OfTiniRemapsExitCodesAndWarnsOfReaping) {
  Process process(as("tini", {"-s", "-w", "-e", "143", "-e", "9", "--", "sh", "-c",
                              "(sleep 0 & echo $!) ; sleep 0.3; exit 9"}));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(count(process.err(), "reaped orphan"), 1) << process.err();
}

TEST_F(DropIn, OfCatatonitPauses) {
  Process process(as("catatonit", {"-P", "--log-level=debug"}));
  ASSERT_TRUE(process.wait_for("as a subreaper"));  // From here on signals are its own to take.
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace warminit::test
