#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/process.h"

namespace warminit::test {
namespace {

TEST(Log, AsJsonIsOneObjectALine) {
  Process process({.argv = warminit({"--wait-ready", "--log-format=json"}, {"true"}),
                   .environment = simulated()});
  ASSERT_EQ(process.wait(), 0);
  std::istringstream lines(process.err());
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    for (const char* key : {"time", "level", "event", "message"}) EXPECT_TRUE(json.contains(key));
    events.push_back(json.value("event", ""));
  }
  const std::vector<std::string> expected{"waiting", "simulated", "driver", "device",
                                          "ready",   "started",   "ended",  "exit"};
  EXPECT_EQ(events, expected);
}

TEST(Log, AtLevelOffIsEmpty) {
  Process process({.argv = warminit({"--wait-ready", "--log-level=off"}, {"true"}),
                   .environment = simulated()});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.err(), "");
}

TEST(Log, OfWarminitNeverGetsIntoTheCommandsOutput) {
  Process process({.argv = warminit({"--wait-ready", "--log-level=debug"}, {"echo", "mine"}),
                   .environment = simulated()});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "mine\n");
}

TEST(Stderr, ThatIsClosedDoesNotStopTheCommand) {
  Process process({.argv = warminit({"--wait-ready"}, {"sh", "-c", "echo ran; exit 6"}),
                   .environment = simulated(),
                   .close_stderr = true});
  EXPECT_EQ(process.wait(), 6);
  EXPECT_EQ(process.out(), "ran\n");
}

TEST(Stderr, ThatNobodyReadsDoesNotStopTheCommand) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  const os::Fd read_end(ends[0]);
  const os::Fd write_end(ends[1]);
  while (::write(write_end.get(), "x", 1) == 1) {
  }
  ASSERT_EQ(::fcntl(write_end.get(), F_SETFL, 0), 0);  // Blocking again, as a program finds it.
  Process process({.argv = warminit({"--wait-ready", "--log-level=debug"}, {"sh", "-c", "exit 6"}),
                   .environment = simulated(),
                   .stderr_fd = write_end.get()});
  EXPECT_EQ(process.wait(), 6);
}

TEST(Stderr, WhoseReaderHasGoneSendsTheCommandNoSignal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const os::Fd write_end(ends[1]);
  ::close(ends[0]);
  Process process({.argv = warminit({"--hold=off", "--log-level=debug"}, {program("signals"), "1"}),
                   .stderr_fd = write_end.get()});
  ASSERT_TRUE(process.wait_for("listening"));
  process.signal(SIGUSR1);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "listening\nsignal " + std::to_string(SIGUSR1) + "\n");
}

}  // namespace
}  // namespace warminit::test
