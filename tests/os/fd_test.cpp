#include "warminit/os/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "os/child.h"

namespace warminit::os {
namespace {

int open_null() { return check(::open("/dev/null", O_RDONLY | O_CLOEXEC), "open"); }

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesWhatItOwns) {
  const int number = open_null();
  {
    const Fd fd(number);
    EXPECT_TRUE(fd);
    EXPECT_EQ(fd.get(), number);
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, OwnsNothingAtFirst) {
  const Fd fd;
  EXPECT_FALSE(fd);
  EXPECT_EQ(fd.get(), -1);
}

TEST(Fd, MayOwnNumberZero) {
  test::in_child([] {
    ::close(0);
    const Fd fd(open_null());
    EXPECT_EQ(fd.get(), 0);
    EXPECT_TRUE(fd);
  });
}

TEST(Fd, GivesItsDescriptorToTheOneThatIsMovedTo) {
  const int number = open_null();
  Fd from(number);
  const Fd to(std::move(from));
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): that is the question.
  EXPECT_EQ(to.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Fd, ClosesTheOldDescriptorOnAssignment) {
  const int old = open_null();
  Fd fd(old);
  const int fresh = open_null();
  fd = Fd(fresh);
  EXPECT_FALSE(is_open(old));
  EXPECT_EQ(fd.get(), fresh);
  fd = Fd();
  EXPECT_FALSE(is_open(fresh));
}

TEST(Fd, SurvivesAssignmentToItself) {
  const int number = open_null();
  Fd fd(number);
  Fd& same = fd;
  fd = std::move(same);
  EXPECT_EQ(fd.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Check, ReturnsWhatIsNotNegative) {
  EXPECT_EQ(check(0, "call"), 0);
  EXPECT_EQ(check(7L, "call"), 7L);
}

TEST(Check, ThrowsErrnoWithTheNameOfTheCall) {
  errno = EMFILE;
  try {
    check(-1, "pipe2");
    FAIL() << "did not throw";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), EMFILE);
    EXPECT_EQ(std::string(e.what()).rfind("pipe2: ", 0), 0U) << e.what();
  }
}

}  // namespace
}  // namespace warminit::os
