#include <grp.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "warm/serving.h"

/// Whom the control server serves.
namespace warminit::warm {
namespace {

constexpr uid_t kNobody = 65534;
constexpr gid_t kSomeGroup = 54321;

class ControlPeerTest : public test::Serving {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  }

  /// What `requests` are answered when nobody asks, of the group `own` and of `more`.
  std::string answers(const std::string& requests, gid_t own, std::vector<gid_t> more = {}) {
    test::Pipe pipe;
    const pid_t pid = test::fork_child([&] {
      os::check(::setgroups(more.size(), more.data()), "setgroups");
      os::check(::setgid(own), "setgid");
      os::check(::setuid(kNobody), "setuid");
      const os::Fd fd = os::connect_to(path_);
      (void)::send(fd.get(), requests.data(), requests.size(), MSG_NOSIGNAL);
      (void)::shutdown(fd.get(), SHUT_WR);
      std::array<char, 4096> chunk{};
      ssize_t n = 0;
      while ((n = ::recv(fd.get(), chunk.data(), chunk.size(), 0)) > 0)
        EXPECT_EQ(::write(pipe.write_end.get(), chunk.data(), static_cast<std::size_t>(n)), n);
    });
    pipe.write_end = os::Fd();
    std::string text;
    bool ended = false;
    loop_.watch(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) {
      std::array<char, 4096> chunk{};
      const ssize_t n = ::read(pipe.read_end.get(), chunk.data(), chunk.size());
      if (n > 0) return void(text.append(chunk.data(), static_cast<std::size_t>(n)));
      loop_.unwatch(pipe.read_end.get());
      ended = true;
    });
    run_until([&] { return ended; });
    EXPECT_EQ(test::end_of(pid), 0);
    return text;
  }
};

TEST_F(ControlPeerTest, RefusesAnotherUserEvenWhereTheSocketsModeLetsItConnect) {
  serve();
  ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(answers(request_line(Verb::status), kNobody),
            refusal_line("only root and warminit's own user may ask"));
  EXPECT_TRUE(verbs_.empty());
}

TEST_F(ControlPeerTest, LetsMembersOfItsGroupReadButNotAct) {
  serve({}, kSomeGroup);
  const std::string refusal = refusal_line("only root and warminit's own user may ask for this");
  EXPECT_EQ(answers(request_line(Verb::status), kSomeGroup), reply_);
  EXPECT_EQ(answers(request_line(Verb::wait), kSomeGroup), reply_);
  for (const Verb verb : {Verb::release, Verb::acquire, Verb::probe})
    EXPECT_EQ(answers(request_line(verb), kSomeGroup), refusal);
}

TEST_F(ControlPeerTest, FindsItsGroupAmongManyOthers) {
  serve({}, kSomeGroup);
  for (const gid_t others : {0U, 10U, 1000U}) {
    std::vector<gid_t> groups(others);
    std::iota(groups.begin(), groups.end(), 1000);
    groups.push_back(kSomeGroup);  // The kernel keeps them in order: it is the last there as well.
    EXPECT_EQ(answers(request_line(Verb::status), kNobody, groups), reply_) << others;
  }
}

TEST_F(ControlPeerTest, RefusesThoseOfAnotherGroup) {
  serve({}, kSomeGroup);
  ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(answers(request_line(Verb::status), kSomeGroup + 1),
            refusal_line("only root and warminit's own user may ask"));
}

}  // namespace
}  // namespace warminit::warm
