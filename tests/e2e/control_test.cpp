#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "e2e/operated.h"

/// status and wait, from outside.
namespace warminit::test {
namespace {

TEST(Status, ShowsWhatIsHeld) {
  Operated operated({}, {{"SIMCUDA_DEVICES", "2"}});
  ASSERT_TRUE(operated.process.wait_for("ready: 2 of 2"));
  const Answered answered = operated.ask({"status"});
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(answered.err, "");
  EXPECT_EQ(answered.out.find("ready: hold context, holder started 1 time, up for "), 0U);
  EXPECT_EQ(count(answered.out, ", SIMULATED: devices and times are made up"), 1);
  for (const char* line : {"\nGPU 0  ready        context  GPU-", "\nGPU 1  ready        context"})
    EXPECT_EQ(count(answered.out, line), 1) << answered.out;
  operated.expect_command_untouched();
}

TEST(Status, IsJsonWhereThatIsWanted) {
  Operated operated;
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  const auto status = operated.status();
  EXPECT_EQ(status.at("readiness"), "ready");
  EXPECT_EQ(status.at("ready"), true);
  EXPECT_EQ(status.at("pid"), operated.process.pid());
  EXPECT_EQ(status.at("holder").at("pid"), *operated.holder());
  EXPECT_EQ(status.at("holder").at("starts"), 1);
  EXPECT_EQ(status.at("command").at("pid"), *operated.process.child_named("test_signals"));
  EXPECT_EQ(status.at("devices").at(0).at("checks").at("failed"), 0);
  EXPECT_GT(status.at("devices").at(0).at("memory").at("free_bytes"), 0);
  operated.process.signal(SIGUSR2);
  ASSERT_TRUE(operated.process.wait_for("signal " + std::to_string(SIGUSR2)));
  EXPECT_EQ(operated.status().at("init").at("signals_forwarded"), 1);
}

TEST(Status, AnswersWhileTheDriverHangs) {
  Operated operated({}, {{"SIMCUDA_HANG", "cuInit"}});
  operated.wait_for_socket();
  const Answered answered = operated.ask({"status"});
  EXPECT_EQ(answered.code, 1);
  EXPECT_EQ(answered.out.find("pending: hold context"), 0U) << answered.out;
  EXPECT_EQ(operated.ask({"status", "--live"}).code, 0);
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 1);
  operated.expect_command_untouched();
}

TEST(Status, OfReadyAndLiveIsOnlyACode) {
  Operated operated;
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  for (const char* question : {"--ready", "--live"}) {
    const Answered answered = operated.ask({"status", question});
    EXPECT_EQ(answered.code, 0) << question << answered.err;
    EXPECT_EQ(answered.out, "");
  }
}

TEST(Status, OfLevelOffIsNeverReady) {
  Operated operated({"--hold=off"});
  operated.wait_for_socket();
  EXPECT_EQ(operated.ask({"status"}).out.find("off: hold off, holder started 0 times"), 0U);
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 1);
  EXPECT_EQ(operated.ask({"wait"}).code, 1);
  for (const char* verb : {"release", "acquire"}) {
    const Answered answered = operated.ask({verb});
    EXPECT_EQ(answered.code, 2) << verb;
    EXPECT_EQ(count(answered.err, "nothing is held here (--hold off)"), 1) << answered.err;
  }
  operated.expect_command_untouched();
}

TEST(Status, CannotTellWhereNobodyAnswers) {
  const Place place;
  for (const char* verb : {"status", "wait", "release", "acquire"}) {
    const Answered answered = ask(place.socket, {verb});
    EXPECT_EQ(answered.code, 2) << verb;
    EXPECT_EQ(answered.out, "");
    EXPECT_EQ(answered.err, "warminit: '" + place.socket +
                                "': No such file or directory; is warminit PID 1 here, and is this "
                                "its --socket?\n");
  }
  EXPECT_EQ(ask("none", {"status"}).code, 2);
}

TEST(Status, IsAnsweredByPid1OfANamespace) {
  if (!can_make_namespaces()) GTEST_SKIP() << "needs root";
  Operated operated({}, {}, Process::Place::pid_namespace);
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  EXPECT_EQ(operated.status().at("pid"), 1);
  operated.expect_command_untouched();
}

TEST(Wait, ReturnsWhenTheGpusAreReady) {
  Operated operated({}, {{"SIMCUDA_CONTEXT_MS", "500"}});
  operated.wait_for_socket();
  const Answered answered = operated.ask({"wait"});
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(answered.out, "");
  EXPECT_EQ(operated.status().at("readiness"), "ready");
  EXPECT_EQ(operated.ask({"wait"}).code, 0) << "at once, now";
}

TEST(Wait, ReturnsWhenTheyWillNeverBe) {
  Operated operated({"--restart-delay=10ms", "--restart-limit=1"}, {{"SIMCUDA_CRASH", "cuInit"}});
  operated.wait_for_socket();
  const Answered answered = operated.ask({"wait"});
  EXPECT_EQ(answered.code, 1) << answered.err;
  EXPECT_EQ(answered.out.find("not ready: hold context, holder started 2 times"), 0U)
      << answered.out;
  EXPECT_EQ(count(answered.out, "signal SIGSEGV"), 1) << answered.out;
}

TEST(Wait, ReturnsWhenItsTimeIsOver) {
  Operated operated({}, {{"SIMCUDA_HANG", "cuInit"}});
  operated.wait_for_socket();
  const Answered answered = operated.ask({"wait", "--timeout=100ms"});
  EXPECT_EQ(answered.code, 1);
  EXPECT_EQ(answered.err, "warminit: the GPUs are not ready after 100 ms\n");
  operated.expect_command_untouched();
}

TEST(Wait, EndsWithInit) {
  Operated operated({}, {{"SIMCUDA_HANG", "cuInit"}});
  operated.wait_for_socket();
  Process client({.argv = warminit({"--socket=" + operated.place.socket, "wait"}, {})});
  operated.expect_command_untouched();
  EXPECT_EQ(client.wait(), 2);
}

}  // namespace
}  // namespace warminit::test
