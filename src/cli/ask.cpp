#include "warminit/cli/ask.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "warminit/os/unix_socket.h"

namespace warminit::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// 1024 devices of a kilobyte each.
constexpr std::size_t kMostAnswerBytes = std::size_t{4} << 20;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

/// A line, without its end.
std::string read_line(int fd, Clock::time_point until) {
  std::string line;
  std::array<char, 4096> chunk{};
  while (line.size() < kMostAnswerBytes) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd waited{fd, POLLIN, 0};
    const int n =
        ::poll(&waited, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30)));
    if (n < 0 && errno == EINTR) continue;
    os::check(n, "poll");
    if (n == 0) fail(ETIMEDOUT, "no answer in time");
    const ssize_t got = ::recv(fd, chunk.data(), chunk.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    os::check(got, "recv");
    if (got == 0) fail(EPROTO, "the connection ended without an answer");
    line.append(chunk.data(), static_cast<std::size_t>(got));
    if (line.back() == '\n') return line;
  }
  fail(EPROTO, "an answer without end");
}

}  // namespace

nlohmann::json ask(const std::string& socket, warm::ControlVerb verb,
                   std::chrono::milliseconds timeout) {
  const auto until = Clock::now() + timeout;
  const os::Fd fd = os::connect_to(socket);
  const std::string request = warm::request_line(verb);
  // Who is refused at the door is told so, and the door is closed already.
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE)
    os::check(-1, "send");
  auto answer = nlohmann::json::parse(read_line(fd.get(), until), nullptr, false);
  if (!answer.is_object() || !answer.contains("ok")) fail(EPROTO, "not an answer of warminit");
  return answer;
}

}  // namespace warminit::cli
