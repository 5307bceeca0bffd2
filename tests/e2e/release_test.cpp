#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

#include "e2e/operated.h"
#include "warminit/os/fd.h"

/// release and acquire, from outside.
namespace warminit::test {
namespace {

TEST(Release, EndsTheHolderAndAcquireBringsItBack) {
  Operated operated;
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  for (int round = 1; round <= 3; ++round) {
    const auto holder = operated.holder();
    ASSERT_TRUE(holder);
    const Answered released = operated.ask({"release"});
    EXPECT_EQ(released.code, 0) << released.err;
    EXPECT_EQ(released.out.find("released: hold context"), 0U) << released.out;
    EXPECT_EQ(::kill(*holder, 0), -1) << "it has ended before the answer";
    EXPECT_FALSE(operated.holder());
    EXPECT_EQ(operated.status().at("devices").at(0).at("status"), "released");
    EXPECT_EQ(operated.ask({"status", "--ready"}).code, 1);
    EXPECT_EQ(operated.ask({"release"}).code, 0) << "once more is no mistake";

    EXPECT_EQ(operated.ask({"acquire"}).code, 0);
    EXPECT_TRUE(operated.holder());
    const auto status = operated.status();
    EXPECT_EQ(status.at("readiness"), "ready");
    EXPECT_EQ(status.at("holder").at("starts"), round + 1);
    EXPECT_EQ(operated.ask({"acquire"}).code, 0) << "once more is no mistake";
  }
  EXPECT_EQ(count(operated.process.err(), "not starting it again"), 0);
  operated.expect_command_untouched();
}

TEST(Release, TakesTheReadyFileAway) {
  const Place place;
  Operated operated({"--ready-file=" + place.file});
  operated.wait_for_socket();
  ASSERT_EQ(operated.ask({"wait"}).code, 0);
  EXPECT_TRUE(Operated::exists(place.file));
  ASSERT_EQ(operated.ask({"release"}).code, 0);
  EXPECT_FALSE(Operated::exists(place.file));
  ASSERT_EQ(operated.ask({"acquire"}).code, 0);
  EXPECT_TRUE(Operated::exists(place.file));
}

TEST(Release, LetsEverybodyWhoWaitsKnow) {
  Operated operated({}, {{"SIMCUDA_HANG", "cuInit"}});
  operated.wait_for_socket();
  Process client({.argv = warminit({"--socket=" + operated.place.socket, "wait"}, {})});
  EXPECT_EQ(operated.ask({"release"}).code, 0);
  EXPECT_EQ(client.wait(), 1) << "nothing will get ready by itself now";
}

class ReleaseOfAHungDriver : public testing::TestWithParam<std::string> {};

TEST_P(ReleaseOfAHungDriver, EndsSoon) {
  Operated operated({}, {{"SIMCUDA_HANG", GetParam()}});
  operated.wait_for_socket();
  if (GetParam() != "cuInit") {
    ASSERT_EQ(operated.ask({"wait"}).code, 0);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(operated.ask({"release"}).code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "2 s at most";
  EXPECT_FALSE(operated.holder());
  EXPECT_EQ(operated.status().at("readiness"), "released");
  operated.expect_command_untouched();
}

INSTANTIATE_TEST_SUITE_P(In, ReleaseOfAHungDriver,
                         testing::Values("cuInit", "cuDevicePrimaryCtxRelease"),
                         [](const auto& test) { return test.param; });

TEST(Acquire, WhileTheReleaseIsUnderWayAnswersBothAndHoldsAgain) {
  Operated operated({"--log-level=debug"}, {{"SIMCUDA_HANG", "cuDevicePrimaryCtxRelease"}});
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  Process release({.argv = warminit({"--socket=" + operated.place.socket, "release"}, {})});
  ASSERT_TRUE(operated.process.wait_for("asked to give the GPUs back"));
  EXPECT_EQ(operated.ask({"status", "--ready"}).code, 1) << "what is about to go is not ready";
  EXPECT_EQ(operated.ask({"acquire"}).code, 0);
  EXPECT_EQ(operated.status().at("holder").at("starts"), 2) << "the next one is meant";
  EXPECT_EQ(release.wait(), 1) << "it was not to be: " << release.err();
  operated.status_until([](const auto& status) { return status.at("holder").at("starts") == 2; });
  EXPECT_EQ(operated.ask({"wait"}).code, 0);
  EXPECT_EQ(operated.status().at("holder").at("starts"), 2);
  operated.expect_command_untouched();
  EXPECT_EQ(count(operated.process.err(), "has not answered"), 0) << operated.process.err();
}

TEST(Release, OfAHolderThatIsToStartAgainKeepsItFromThat) {
  Operated operated({"--restart-delay=1h"}, {{"SIMCUDA_CRASH", "cuInit"}});
  ASSERT_TRUE(operated.process.wait_for("starting it again in 60000 ms"));
  EXPECT_EQ(operated.ask({"release"}).code, 0);
  EXPECT_EQ(operated.status().at("readiness"), "released");
  EXPECT_EQ(operated.status().at("problem"), nullptr);
}

TEST(Release, EndsTheHolderAlsoWhereInitIsGoneAndTheDriverHangsInTheRelease) {
  std::optional<pid_t> holder;
  {
    Operated operated({}, {{"SIMCUDA_HANG", "cuDevicePrimaryCtxRelease"}});
    ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
    holder = operated.holder();
  }  // Init is killed here.
  const os::Fd gone(static_cast<int>(::syscall(SYS_pidfd_open, *holder, 0)));
  ASSERT_TRUE(gone || errno == ESRCH);
  pollfd waited{gone.get(), POLLIN, 0};
  EXPECT_EQ(gone ? ::poll(&waited, 1, static_cast<int>(Process::kPatience.count())) : 1, 1);
}

TEST(Release, IsNoHindranceToTheEnd) {
  Operated operated;
  ASSERT_TRUE(operated.process.wait_for("ready: 1 of 1"));
  ASSERT_EQ(operated.ask({"release"}).code, 0);
  operated.expect_command_untouched();
}

}  // namespace
}  // namespace warminit::test
