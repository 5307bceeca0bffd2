#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "e2e/operated.h"

/// Readiness for others: a descriptor, a file, a service manager.
namespace warminit::test {
namespace {

/// What comes next at `fd`, or "nothing" when the time is over.
std::string next_from(const os::Fd& fd) {
  pollfd waited{fd.get(), POLLIN, 0};
  if (::poll(&waited, 1, static_cast<int>(Process::kPatience.count())) != 1) return "nothing";
  std::array<char, 1024> text{};
  const ssize_t n = ::read(fd.get(), text.data(), text.size());
  return {text.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

/// Runs warminit with descriptor 7 on the named pipe `fifo`.
Process::Options with_descriptor(const std::string& fifo, const std::string& options,
                                 const std::string& command) {
  return {
      .argv = {"sh", "-c",
               "exec 7>" + fifo + "; exec " + WARMINIT_BINARY + " " + options + " -- " + command},
      .environment = simulated({{"SIMCUDA_CONTEXT_MS", "300"}})};
}

class ReadyFd : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkfifo(place_.file.c_str(), 0600), 0);
    reader_ = os::Fd(::open(place_.file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    ASSERT_TRUE(reader_);
  }
  Place place_;
  os::Fd reader_;
};

TEST_F(ReadyFd, GetsANewlineWhenTheGpusAreReadyAndThenItsEnd) {
  Process process(
      with_descriptor(place_.file, "--socket=none --ready-fd=7", program("signals") + " 1000"));
  EXPECT_EQ(next_from(reader_), "\n");
  EXPECT_EQ(next_from(reader_), "") << "init has closed it, and nobody else has it";
  EXPECT_TRUE(process.wait_for("ready: 1 of 1")) << process.err();
  EXPECT_EQ(count(process.err(), "ready-fd"), 0) << process.err();
}

TEST_F(ReadyFd, IsNotInheritedByTheCommand) {
  Process process(with_descriptor(place_.file, "--socket=none --ready-fd=7",
                                  "sh -c 'test -e /proc/self/fd/7 && echo has || echo has not'"));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "has not\n");
}

TEST_F(ReadyFd, ComesToItsEndUnwrittenWhereNothingGetsReady) {
  auto options =
      with_descriptor(place_.file, "--socket=none --ready-fd=7 --wait-ready=10s", "true");
  options.environment["SIMCUDA_FAIL"] = "cuInit:100";
  Process process(std::move(options));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(next_from(reader_), "");
}

TEST_F(ReadyFd, IsWrittenAtOnceWhereNothingIsHeld) {
  Process process(
      with_descriptor(place_.file, "--socket=none --ready-fd=7 --hold=off", "sleep 60"));
  EXPECT_EQ(next_from(reader_), "\n");
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
}

TEST(ReadyFdThatNobodyGave, IsSaidAndCostsNothingElse) {
  // Each number that one of init's own descriptors has.
  for (const char* number : {"3", "4", "5", "6", "7", "8", "9", "10"}) {
    Operated operated({"--ready-fd=" + std::string(number)});
    EXPECT_TRUE(operated.process.wait_for("ready: 1 of 1")) << number << operated.process.err();
    EXPECT_EQ(count(operated.process.err(),
                    "--ready-fd " + std::string(number) + ", ignoring: Bad file descriptor"),
              1)
        << operated.process.err();
    EXPECT_EQ(operated.ask({"status", "--ready"}).code, 0);
    operated.expect_command_untouched();
  }
}

TEST(ReadyFile, IsThereWhileTheGpusAreReady) {
  const Place place;
  place.folder.add("file", "of an earlier life");
  Operated operated({"--ready-file=" + place.file}, {{"SIMCUDA_CONTEXT_MS", "2000"}});
  ASSERT_TRUE(operated.process.wait_for("listening"));
  EXPECT_FALSE(Operated::exists(place.file));
  operated.wait_for_socket();
  ASSERT_EQ(operated.ask({"wait"}).code, 0);
  EXPECT_TRUE(Operated::exists(place.file));
  operated.expect_command_untouched();
  EXPECT_FALSE(Operated::exists(place.file));
}

TEST(ReadyFile, IsTakenAwayWhenTheEndBeginsNotWhenItIsOver) {
  const Place place;
  Process process(
      {.argv = warminit({"--ready-file=" + place.file, "--socket=" + place.socket, "--grace=60s"},
                        {"sh", "-c", "(trap '' TERM; exec sleep 4) & exec sleep 60"}),
       .environment = simulated()});
  ASSERT_TRUE(process.wait_for("ready: 1 of 1"));
  ASSERT_EQ(ask(place.socket, {"wait"}).code, 0);  // The log comes a moment before the file.
  EXPECT_TRUE(Operated::exists(place.file));
  process.signal(SIGTERM);
  ASSERT_TRUE(process.wait_for("ended with signal SIGTERM"));
  const Answered status = ask(place.socket, {"status", "--ready"});
  EXPECT_EQ(status.code, 1) << status.err;
  EXPECT_FALSE(Operated::exists(place.file));
  const Answered probe = ask(place.socket, {"status", "--probe"});
  EXPECT_EQ(probe.code, 2);
  EXPECT_EQ(count(probe.err, "init is about to end"), 1) << probe.err;
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
}

TEST(ReadyFile, ThatCannotBeWrittenCostsNothingElse) {
  Operated operated({"--ready-file=/proc/no/file"});
  EXPECT_TRUE(operated.process.wait_for("--ready-file '/proc/no/file', ignoring: "))
      << operated.process.err();
  EXPECT_EQ(operated.ask({"wait"}).code, 0);
  operated.expect_command_untouched();
}

class NotifySocket : public testing::Test {
 protected:
  void SetUp() override {
    manager_ = os::Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(place_.file, address.sun_path);
    ASSERT_EQ(::bind(manager_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
  }
  [[nodiscard]] Process::Options notifying(const std::string& option) const {
    return {.argv = warminit({option, "--socket=none", "--wait-ready"},
                             {"sh", "-c", "echo [$NOTIFY_SOCKET]"}),
            .environment = simulated({{"NOTIFY_SOCKET", place_.file}})};
  }
  /// Datagrams up to `last`, one behind the other.
  [[nodiscard]] std::string heard_until(const std::string& last) const {
    std::string all;
    for (std::string next; next != last && next != "nothing"; all += "|" + next)
      next = next_from(manager_);
    return all;
  }
  Place place_;
  os::Fd manager_;
};

TEST_F(NotifySocket, HearsOfReadinessAndTheEndInTheCommandsPlace) {
  Process process(notifying("--notify"));
  const std::string heard = heard_until("STOPPING=1");
  EXPECT_EQ(count(heard, "STATUS=ready: 1 of 1 GPUs are ready\nREADY=1|"), 1) << heard;
  EXPECT_EQ(heard.substr(heard.rfind('|')), "|STOPPING=1");
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "[]\n");
}

TEST_F(NotifySocket, IsNotKeptWaitingWhereNothingIsHeld) {
  Process process({.argv = warminit({"--notify", "--hold=off", "--socket=none"}, {"sleep", "60"}),
                   .environment = {{"NOTIFY_SOCKET", place_.file}}});
  EXPECT_EQ(next_from(manager_), "STATUS=off: no GPU is held (--hold off)\nREADY=1");
  process.signal(SIGTERM);
  EXPECT_EQ(next_from(manager_), "STOPPING=1");
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
}

TEST_F(NotifySocket, IsLeftToTheCommandUnlessTold) {
  Process process(notifying("--grace=1s"));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "[" + place_.file + "]\n");
  pollfd waited{manager_.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waited, 1, 0), 0);
}

}  // namespace
}  // namespace warminit::test
