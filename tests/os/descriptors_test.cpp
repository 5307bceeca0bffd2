#include "warminit/os/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/child.h"
#include "support/temporary_folder.h"
#include "warminit/os/fd.h"

namespace warminit::os {
namespace {

using test::in_child;
using test::Pipe;

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

bool is_null(int fd) {
  struct stat status {};
  struct stat null {};
  return ::fstat(fd, &status) == 0 && ::stat("/dev/null", &null) == 0 &&
         status.st_rdev == null.st_rdev;
}

TEST(CloseInherited, ClosesWhatIsOpenAcrossExecAndNothingElse) {
  in_child([] {
    const Pipe ours;  // Close-on-exec, as all of ours.
    const int theirs = ::fcntl(ours.read_end.get(), F_DUPFD, 100);
    ASSERT_GE(theirs, 100);
    close_inherited();
    EXPECT_FALSE(is_open(theirs));
    EXPECT_TRUE(is_open(ours.read_end.get()));
    EXPECT_TRUE(is_open(STDIN_FILENO));
    EXPECT_TRUE(is_open(STDERR_FILENO));
  });
}

TEST(CloseOnExecFrom, LeavesTheLowerOnes) {
  in_child([] {
    const Pipe pipe;
    const int low = ::fcntl(pipe.read_end.get(), F_DUPFD, 100);
    const int high = ::fcntl(pipe.read_end.get(), F_DUPFD, low + 1);
    close_on_exec_from(high);
    EXPECT_EQ(::fcntl(low, F_GETFD), 0);
    EXPECT_EQ(::fcntl(high, F_GETFD), FD_CLOEXEC);
  });
}

TEST(ReleaseStandardStreams, LetsGoOfStdinAndStdoutButNotOfStderr) {
  in_child([] {
    const Pipe pipe;
    ::dup2(pipe.read_end.get(), STDIN_FILENO);
    ::dup2(pipe.write_end.get(), STDOUT_FILENO);
    ::dup2(pipe.write_end.get(), STDERR_FILENO);
    release_standard_streams();
    EXPECT_TRUE(is_null(STDIN_FILENO));
    EXPECT_TRUE(is_null(STDOUT_FILENO));
    EXPECT_FALSE(is_null(STDERR_FILENO));
  });
}

TEST(PathBehind, IsWhereTheFileIsOrWas) {
  const test::TemporaryFolder folder;
  const std::string path = folder.add("file", "");
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string link = "/proc/self/fd/" + std::to_string(file.get());
  EXPECT_EQ(path_behind(link), path);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(path_behind(link), path);
  EXPECT_EQ(path_behind("/proc/self/fd/no such"), "");
}

}  // namespace
}  // namespace warminit::os
