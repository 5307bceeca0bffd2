#include "warminit/warm/ready_signal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "os/child.h"
#include "support/temporary_folder.h"
#include "warm/log_capture.h"
#include "warm/samples.h"

namespace warminit::warm {
namespace {

using test::Pipe;
using test::state_with;
using ::testing::HasSubstr;
using enum DeviceStatus;

/// A number for a descriptor as a parent hands it down: not close-on-exec, and owned by nobody yet.
int inherited(const os::Fd& fd) { return os::check(::fcntl(fd.get(), F_DUPFD, 3), "fcntl"); }

ReadyOptions on_fd(int fd) {
  ReadyOptions options;
  options.fd = fd;
  return options;
}

ReadyOptions on_file(const std::string& path) {
  ReadyOptions options;
  options.file = path;
  return options;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

class ReadySignalTest : public ::testing::Test {
 protected:
  test::LogCapture log_;
  test::TemporaryFolder folder_;
  std::string file_ = folder_.path() + "/ready";
};

TEST_F(ReadySignalTest, WritesOneNewlineToItsDescriptorAndClosesIt) {
  Pipe pipe;
  ReadySignal signal(on_fd(inherited(pipe.write_end)));
  pipe.write_end = os::Fd();
  signal.on_state(state_with({ready, warming}));
  EXPECT_FALSE(test::becomes_readable(pipe.read_end.get(), std::chrono::milliseconds(0)));
  signal.on_state(state_with({ready, ready}));
  signal.on_state(state_with({ready, lost}));
  signal.on_state(state_with({ready, ready}));
  EXPECT_EQ(test::read_all(pipe.read_end.get()), "\n");
  EXPECT_EQ(log_.take(), "");
}

TEST_F(ReadySignalTest, KeepsItsDescriptorFromPrograms) {
  const Pipe pipe;
  const int fd = inherited(pipe.write_end);
  const ReadySignal signal(on_fd(fd));
  EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
}

TEST_F(ReadySignalTest, ClosesItsDescriptorUnwrittenWhereNothingGetsReady) {
  Pipe pipe;
  {
    ReadySignal signal(on_fd(inherited(pipe.write_end)));
    pipe.write_end = os::Fd();
    State state;
    state.holder_ended({0, "no driver", ""}, /*will_restart=*/false);
    signal.on_state(state);
    signal.close();
  }
  EXPECT_EQ(test::read_all(pipe.read_end.get()), "");
}

TEST_F(ReadySignalTest, DoesNotWaitForAPipeThatIsFull) {
  Pipe pipe;
  const int flags = ::fcntl(pipe.write_end.get(), F_GETFL);
  ::fcntl(pipe.write_end.get(), F_SETFL, flags | O_NONBLOCK);
  while (::write(pipe.write_end.get(), "x", 1) == 1) {
  }
  ::fcntl(pipe.write_end.get(), F_SETFL, flags);
  ReadySignal signal(on_fd(inherited(pipe.write_end)));
  signal.on_state(state_with({ready}));
  EXPECT_THAT(log_.take(), HasSubstr("error|warning|--ready-fd, ignoring: "));
  EXPECT_EQ(::fcntl(pipe.write_end.get(), F_GETFL), flags) << "others may share it";
}

TEST_F(ReadySignalTest, OnlyLogsADescriptorThatNobodyGave) {
  const int closed = inherited(Pipe().write_end);
  ::close(closed);
  ReadySignal signal(on_fd(closed));
  EXPECT_EQ(log_.take(), "error|warning|--ready-fd " + std::to_string(closed) +
                             ", ignoring: Bad file descriptor\n");
  signal.on_state(state_with({ready}));
  EXPECT_EQ(log_.take(), "");
}

TEST_F(ReadySignalTest, DoesNotTakeADescriptorOfOurOwn) {
  const Pipe pipe;  // Close-on-exec, as all that init opens: nobody can have handed it down.
  {
    ReadySignal signal(on_fd(pipe.write_end.get()));
    EXPECT_THAT(log_.take(), HasSubstr("Bad file descriptor"));
    signal.on_state(state_with({ready}));
  }
  EXPECT_EQ(::write(pipe.write_end.get(), "x", 1), 1) << "it is still open";
}

TEST_F(ReadySignalTest, KeepsAFileWhileTheGpusAreReady) {
  ReadySignal signal(on_file(file_));
  EXPECT_FALSE(exists(file_));
  signal.on_state(state_with({warming}));
  EXPECT_FALSE(exists(file_));
  signal.on_state(state_with({ready}));
  EXPECT_TRUE(exists(file_));
  signal.on_state(state_with({lost}));
  EXPECT_FALSE(exists(file_));
  signal.on_state(state_with({ready}));
  EXPECT_TRUE(exists(file_));
  State released_state = state_with({ready});
  released_state.holder_released();
  signal.on_state(released_state);
  EXPECT_FALSE(exists(file_));
  signal.on_state(state_with({ready}));
  signal.close();
  EXPECT_FALSE(exists(file_));
  EXPECT_EQ(log_.take(), "");
}

TEST_F(ReadySignalTest, RemovesTheFileOfAnEarlierLife) {
  folder_.add("ready", "");
  const ReadySignal signal(on_file(file_));
  EXPECT_FALSE(exists(file_));
}

TEST_F(ReadySignalTest, OnlyLogsAFileThatCannotBeWritten) {
  ReadySignal signal(on_file(folder_.path() + "/no/such/folder/ready"));
  signal.on_state(state_with({ready}));
  EXPECT_THAT(log_.take(), HasSubstr("/no/such/folder/ready', ignoring: No such file"));
  signal.on_state(state_with({lost}));
  signal.close();
  EXPECT_EQ(log_.take(), "");
}

TEST_F(ReadySignalTest, DoesNotWriteThroughALink) {
  const std::string target = folder_.add("target", "mine");
  ReadySignal signal(on_file(file_));
  ASSERT_EQ(::symlink(target.c_str(), file_.c_str()), 0);
  signal.on_state(state_with({ready}));
  EXPECT_THAT(log_.take(), HasSubstr("ignoring: "));
}

}  // namespace
}  // namespace warminit::warm
