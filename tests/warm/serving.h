#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/child.h"
#include "support/temporary_folder.h"
#include "warminit/os/unix_socket.h"
#include "warminit/warm/control_server.h"

namespace warminit::test {

/// A client of the control socket that waits for nothing: the server runs in the same thread.
class Asker {
 public:
  explicit Asker(os::Fd connection) : fd_(std::move(connection)) {
    os::check(::fcntl(fd_.get(), F_SETFL, O_NONBLOCK), "fcntl");
  }

  void send(const std::string& text) const {
    EXPECT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void ask(warm::ControlVerb verb) const { send(warm::request_line(verb)); }
  void shut_sending() const { os::check(::shutdown(fd_.get(), SHUT_WR), "shutdown"); }
  void hang_up() { fd_ = os::Fd(); }

  /// Takes what is there; whether a whole line is.
  bool has_line() {
    std::array<char, 4096> chunk{};
    ssize_t n = 0;
    while ((n = ::recv(fd_.get(), chunk.data(), chunk.size(), 0)) > 0)
      text_.append(chunk.data(), static_cast<std::size_t>(n));
    ended_ = ended_ || n == 0 || (n < 0 && errno != EAGAIN);
    return text_.find('\n') != std::string::npos;
  }
  /// Whether the server has closed the connection.
  bool ended() { return has_line(), ended_; }

  /// The next line, without its end, which must be there.
  std::string line() {
    EXPECT_TRUE(has_line()) << text_;
    const std::size_t end = text_.find('\n');
    std::string line = text_.substr(0, end);
    text_.erase(0, end == std::string::npos ? end : end + 1);
    return line;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  os::Fd fd_;
  std::string text_;
  bool ended_ = false;
};

/// A control server in this thread. Its handler answers at once, or keeps the answers in `asked`.
class Serving : public ::testing::Test {
 protected:
  using Verb = warm::ControlVerb;

  void serve(warm::ControlLimits limits = {}, std::optional<gid_t> group = std::nullopt) {
    server_.emplace(loop_, limits, [this](Verb verb, warm::ControlServer::Answer answer) {
      verbs_.push_back(verb);
      if (later_)
        asked_.push_back(std::move(answer));
      else
        answer(reply_);
    });
    server_->serve(os::listen_at(path_, group), group);
  }
  [[nodiscard]] Asker connect() const { return Asker(os::connect_to(path_)); }

  /// Lets the server work until `done`; a failure when the time is over.
  void run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + kUntilFailure;
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) FAIL() << "does not come";
      (void)becomes_readable(loop_.fd());
      loop_.step();
    }
  }
  /// Lets it work until nothing is left to do.
  void settle() {
    while (becomes_readable(loop_.fd(), std::chrono::milliseconds(0))) loop_.step();
  }
  /// The next line that `asker` gets.
  std::string line_for(Asker& asker) {
    run_until([&] { return asker.has_line(); });
    return asker.line();
  }
  /// What the next line for `asker` refuses it with; "ok" where it does not.
  std::string refusal_for(Asker& asker) {
    const auto answer = nlohmann::json::parse(line_for(asker), nullptr, false);
    if (answer.is_discarded()) return "no JSON";
    return answer.at("ok") == true ? "ok" : answer.at("error").get<std::string>();
  }

  const std::string reply_ = warm::answer_line({{"readiness", "ready"}});
  TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/socket";
  os::EventLoop loop_;
  bool later_ = false;
  std::vector<Verb> verbs_;
  std::vector<warm::ControlServer::Answer> asked_;
  std::optional<warm::ControlServer> server_;
};

}  // namespace warminit::test
