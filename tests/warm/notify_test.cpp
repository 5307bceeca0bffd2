#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "os/child.h"
#include "support/temporary_folder.h"
#include "warm/log_capture.h"
#include "warm/samples.h"
#include "warminit/warm/ready_signal.h"

/// What a service manager hears (sd_notify).
namespace warminit::warm {
namespace {

using test::ScopedVariable;
using test::state_with;
using ::testing::HasSubstr;
using enum DeviceStatus;

/// The service manager's socket, under a name as in NOTIFY_SOCKET: a path, or abstract behind '@'.
class Manager {
 public:
  explicit Manager(const std::string& name)
      : fd_(os::check(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket")) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    os::check(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size), "bind");
  }
  /// The next datagram; empty if none is there.
  [[nodiscard]] std::string heard() const {
    std::array<char, 1024> text{};
    const ssize_t n = ::recv(fd_.get(), text.data(), text.size(), 0);
    return {text.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  }

 private:
  os::Fd fd_;
};

ReadyOptions notifying(bool yes) {
  ReadyOptions options;
  options.notify = yes;
  return options;
}

class NotifyTest : public ::testing::TestWithParam<bool> {
 protected:
  test::LogCapture log_;
  test::TemporaryFolder folder_;
  std::string name_ =
      GetParam() ? "@warminit-test-" + std::to_string(::getpid()) : folder_.path() + "/notify";
};

TEST_P(NotifyTest, TellsHowFarTheGpusAreAndOnceThatTheyAreReady) {
  const Manager manager(name_);
  const ScopedVariable variable("NOTIFY_SOCKET", name_.c_str());
  ReadySignal signal(notifying(true));
  signal.on_state(state_with({ready, warming}));
  EXPECT_EQ(manager.heard(), "STATUS=pending: 1 of 2 GPUs are ready");
  signal.on_state(state_with({ready, warming}));
  EXPECT_EQ(manager.heard(), "") << "no news";
  signal.on_state(state_with({ready, ready}));
  EXPECT_EQ(manager.heard(), "STATUS=ready: 2 of 2 GPUs are ready\nREADY=1");
  signal.on_state(state_with({ready, lost}));
  EXPECT_EQ(manager.heard(), "STATUS=pending: 1 of 2 GPUs are ready");
  signal.close();
  EXPECT_EQ(manager.heard(), "STOPPING=1");
  signal.close();
  EXPECT_EQ(manager.heard(), "");
  EXPECT_EQ(log_.take(), "");
}

TEST_P(NotifyTest, TellsAtOnceWhereNothingIsHeld) {
  const Manager manager(name_);
  const ScopedVariable variable("NOTIFY_SOCKET", name_.c_str());
  ReadySignal signal(notifying(true));
  signal.on_off();
  EXPECT_EQ(manager.heard(), "STATUS=off: no GPU is held (--hold off)\nREADY=1");
}

TEST_P(NotifyTest, TakesTheVariableFromTheCommand) {
  const ScopedVariable variable("NOTIFY_SOCKET", name_.c_str());
  const ReadySignal signal(notifying(true));
  EXPECT_EQ(::getenv("NOTIFY_SOCKET"), nullptr);
}

TEST_P(NotifyTest, LeavesTheManagerToTheCommandUnlessTold) {
  const Manager manager(name_);
  const ScopedVariable variable("NOTIFY_SOCKET", name_.c_str());
  ReadySignal signal(notifying(false));
  EXPECT_STREQ(::getenv("NOTIFY_SOCKET"), name_.c_str());
  signal.on_state(state_with({ready}));
  signal.close();
  EXPECT_EQ(manager.heard(), "");
}

TEST_P(NotifyTest, OnlyLogsAManagerThatIsNotThere) {
  const ScopedVariable variable("NOTIFY_SOCKET", name_.c_str());
  ReadySignal signal(notifying(true));
  signal.on_state(state_with({ready}));
  EXPECT_THAT(log_.take(), HasSubstr("NOTIFY_SOCKET '" + name_ + "', ignoring: "));
}

INSTANTIATE_TEST_SUITE_P(, NotifyTest, ::testing::Bool(), [](const auto& test) {
  return test.param ? "OfAnAbstractName" : "OfAPath";
});

TEST(Notify, LeavesAnAddressAloneThatItCannotReach) {
  for (const char* address : {"", "vsock:2:1234", "relative"}) {
    const ScopedVariable variable("NOTIFY_SOCKET", address);
    const test::LogCapture log;
    ReadySignal signal(notifying(true));
    signal.on_state(state_with({ready}));
    EXPECT_STREQ(::getenv("NOTIFY_SOCKET"), address);
  }
}

TEST(Notify, OnlyLogsAnAddressThatIsTooLong) {
  const ScopedVariable variable("NOTIFY_SOCKET", ("/" + std::string(200, 'x')).c_str());
  test::LogCapture log;
  ReadySignal signal(notifying(true));
  signal.on_state(state_with({ready}));
  EXPECT_THAT(log.take(), HasSubstr("ignoring: File name too long"));
}

TEST(Notify, WithoutAManagerIsSilent) {
  const ScopedVariable variable("NOTIFY_SOCKET", nullptr);
  test::LogCapture log;
  ReadySignal signal(notifying(true));
  signal.on_state(state_with({ready}));
  signal.close();
  EXPECT_EQ(log.take(), "");
}

}  // namespace
}  // namespace warminit::warm
