#include "exporter/served.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <utility>

#include "os/child.h"
#include "warminit/exporter/answer.h"
#include "warminit/exporter/listen.h"
#include "warminit/exporter/server.h"

namespace warminit::test {

Served::Served(const exporter::Limits& limits) {
  os::Fd listening = exporter::listen_on({"127.0.0.1", 0});
  port_ = port_of(listening);
  std::array<int, 2> ends{};
  os::check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  link_ = os::Fd(ends[0]);
  os::Fd theirs(ends[1]);
  pid_ = fork_child([&] {
    link_ = os::Fd();  // Else the link would never be closed.
    exporter::serve(std::move(listening), std::move(theirs), limits);
  });
}

Served::~Served() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

os::Fd Served::client(const std::string& text) const { return connected_client(port_, text); }

void Served::answer(const std::string& line) const {
  std::string question;
  std::array<char, 256> chunk{};
  while (question.size() < exporter::kQuestion.size()) {
    ASSERT_TRUE(becomes_readable(link_.get())) << "no question after: " << question;
    const ssize_t n = ::recv(link_.get(), chunk.data(), chunk.size(), 0);
    ASSERT_GT(n, 0);
    question.append(chunk.data(), static_cast<std::size_t>(n));
  }
  EXPECT_EQ(question, exporter::kQuestion);
  EXPECT_EQ(::send(link_.get(), line.data(), line.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(line.size()));
}

std::string Served::exchange(const std::string& request, const std::string& line) const {
  const os::Fd connection = client(request);
  answer(line);
  return read_all(connection.get());
}

int Served::end() { return end_of(std::exchange(pid_, -1)); }

std::string request(const std::string& target, const std::string& method,
                    const std::string& headers) {
  return method + " " + target + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

std::uint16_t port_of(const os::Fd& listening) {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  os::check(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&name), &size),
            "getsockname");
  return ntohs(name.sin_port);
}

os::Fd connected_client(std::uint16_t port, const std::string& text) {
  os::Fd fd(os::check(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  os::check(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), "connect");
  EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
  return fd;
}

}  // namespace warminit::test
