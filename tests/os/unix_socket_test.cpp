#include "warminit/os/unix_socket.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "os/child.h"
#include "support/temporary_folder.h"

namespace warminit::os {
namespace {

using test::in_child;
using test::TemporaryFolder;

constexpr gid_t kSomeGroup = 54321;
constexpr uid_t kNobody = 65534;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

/// The error with which `path` is refused; 0 if it is taken.
int error_of(const std::string& path, std::optional<gid_t> group = std::nullopt) {
  try {
    (void)listen_at(path, group);
    return 0;
  } catch (const std::system_error& e) {
    return e.code().value();
  }
}

class UnixSocket : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/socket";
};

TEST_F(UnixSocket, ServesWhoeverConnects) {
  const Fd listener = listen_at(path_, std::nullopt);
  const Fd client = connect_to(path_);
  ASSERT_TRUE(test::becomes_readable(listener.get()));
  const Fd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(server);
  ASSERT_EQ(::send(client.get(), "x", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(::recv(server.get(), &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'x');
}

TEST_F(UnixSocket, IsItsOwnersAloneFromItsFirstInstantWhateverTheUmask) {
  for (const mode_t mask : {0, 022, 0777}) {
    const mode_t before = ::umask(mask);
    const Fd listener = listen_at(path_, std::nullopt);
    EXPECT_EQ(::umask(before), mask) << "the umask is left as it was";
    EXPECT_EQ(mode_of(path_), 0600U) << mask;  // By bind itself: nothing changes it afterwards.
    ::unlink(path_.c_str());
  }
}

TEST_F(UnixSocket, LeavesNothingBehindWhereItsGroupCannotBeGiven) {
  in_child([this] {
    if (::geteuid() == 0) {
      ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
      ASSERT_EQ(::setgroups(0, nullptr), 0);
      ASSERT_EQ(::setgid(kNobody), 0);
      ASSERT_EQ(::setuid(kNobody), 0);
    }
    EXPECT_EQ(error_of(path_, kSomeGroup), EPERM);
    EXPECT_EQ(::access(path_.c_str(), F_OK), -1);
  });
}

TEST_F(UnixSocket, IsItsGroupsTooWhereThereIsOne) {
  const Fd listener = listen_at(path_, ::getegid());
  EXPECT_EQ(mode_of(path_), 0660U);
  struct stat status {};
  ASSERT_EQ(::lstat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_gid, ::getegid());
}

TEST_F(UnixSocket, ThatIsAbandonedIsReplaced) {
  { const Fd gone = listen_at(path_, std::nullopt); }
  ASSERT_EQ(::access(path_.c_str(), F_OK), 0) << "its file stays: that is the test";
  const Fd listener = listen_at(path_, std::nullopt);
  EXPECT_TRUE(connect_to(path_));
}

TEST_F(UnixSocket, ThatIsServedIsNotReplaced) {
  const Fd first = listen_at(path_, std::nullopt);
  EXPECT_EQ(error_of(path_), EADDRINUSE);
  const Fd client = connect_to(path_);
  EXPECT_TRUE(test::becomes_readable(first.get()));
}

TEST_F(UnixSocket, DoesNotReplaceWhatIsNoSocket) {
  const std::string file = folder_.add("file", "mine");
  EXPECT_EQ(error_of(file), EADDRINUSE);
  EXPECT_EQ(::access(file.c_str(), F_OK), 0);
  { const Fd gone = listen_at(path_, std::nullopt); }
  const std::string link = folder_.path() + "/link";
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);  // To an abandoned socket, even.
  EXPECT_EQ(error_of(link), EADDRINUSE);
}

TEST_F(UnixSocket, RefusesAPathThatIsTooLong) {
  const std::string slash = folder_.path() + "/";
  const std::size_t most = sizeof(sockaddr_un::sun_path) - 1;
  EXPECT_EQ(error_of(slash + std::string(most + 1 - slash.size(), 'x')), ENAMETOOLONG);
  EXPECT_EQ(error_of(slash + std::string(most - slash.size(), 'x')), 0);
  EXPECT_THROW((void)connect_to(std::string(200, 'x')), std::system_error);
}

TEST_F(UnixSocket, ThatIsNotThereCannotBeConnectedTo) {
  try {
    (void)connect_to(path_);
    ADD_FAILURE() << "connected to nothing";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), ENOENT);
  }
}

TEST_F(UnixSocket, TellsWhoItsPeerIs) {
  std::array<int, 2> ends{};
  check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  const Fd ours(ends[0]);
  const Fd theirs(ends[1]);
  const auto peer = peer_of(ours.get());
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->pid, ::getpid());
  EXPECT_EQ(peer->uid, ::geteuid());
  EXPECT_EQ(peer->groups.at(0), ::getegid());
}

TEST(Peer, OfWhatIsNoSocketIsUnknown) {
  const test::Pipe pipe;
  EXPECT_FALSE(peer_of(pipe.read_end.get()));
}

}  // namespace
}  // namespace warminit::os
