#include "warminit/doctor/driver_client.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <system_error>

#include "warminit/os/fd.h"
#include "warminit/os/spawn.h"
#include "warminit/warm/holder.h"

namespace warminit::doctor {
namespace {

using Clock = std::chrono::steady_clock;
/// For the kernel to end a child that it can end.
constexpr std::chrono::seconds kForSigkill{2};
/// What a pipe holds; a child that says more waits for a reader until it is late.
constexpr std::size_t kMostBytes = 65536;

Answer fail(std::string why) {
  Answer answer;
  answer.ending = Answer::Ending::failed;
  answer.failure = std::move(why);
  return answer;
}

void block_sigchld() {
  (void)::signal(SIGCHLD, SIG_DFL);  // Ignored, no child could be waited for.
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
}

/// The wait status of `pid`; nothing if it still runs at `deadline`.
std::optional<int> end_of(pid_t pid, Clock::time_point deadline) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  for (;;) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return status;
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
    if (left.count() <= 0) return std::nullopt;
    const timespec patience{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    (void)::sigtimedwait(&child, nullptr, &patience);
  }
}

/// What is in the pipe now, up to its bound.
std::string drain(int fd) {
  std::string text(kMostBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(fd, text.data() + size, text.size() - size);
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  text.resize(size);
  return text;
}

/// Its last line: the driver may have said something on stdout before.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

os::SpawnOptions options_for(const DriverClient& client, const Question& question, int out) {
  os::SpawnOptions options;
  options.file = os::own_executable();
  options.argv = {"warminit-doctor", "ask-driver", "--driver-library=" + client.library};
  for (const std::string& name : question.without) options.argv.push_back("--without=" + name);
  if (question.list_only) options.argv.emplace_back("--list");
  options.without = warm::option_variables();
  options.signals = client.signals;
  options.descriptors = {{STDOUT_FILENO, out}};
  options.only_descriptors = true;
  options.place = os::Place::our_group;  // Ctrl-C ends both.
  return options;
}

}  // namespace

Answer ask_in_child(const DriverClient& client, const Question& question) try {
  block_sigchld();
  std::array<int, 2> ends{};
  os::check(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  const os::Fd in(ends[0]);
  os::Fd out(ends[1]);
  os::check(::fcntl(in.get(), F_SETFL, O_NONBLOCK), "fcntl");
  const pid_t pid = os::spawn(options_for(client, question, out.get()));
  out = os::Fd();
  const auto status = end_of(pid, Clock::now() + client.limit);
  if (!status) {
    (void)::kill(pid, SIGKILL);
    const bool ended = end_of(pid, Clock::now() + kForSigkill).has_value();
    Answer answer;
    answer.ending = Answer::Ending::late;
    answer.failure = fmt::format("a process that asked the driver gave no answer in {} s{}",
                                 std::chrono::duration<double>(client.limit).count(),
                                 ended ? "" : ", and cannot be killed");
    return answer;
  }
  if (WIFSIGNALED(*status)) {
    Answer answer;
    answer.ending = Answer::Ending::died;
    answer.signal = WTERMSIG(*status);
    return answer;
  }
  if (WEXITSTATUS(*status) != 0)
    return fail(fmt::format("a process that asked the driver ended with {}", WEXITSTATUS(*status)));
  return from_line(last_line(drain(in.get())));
} catch (const std::system_error& e) {
  return fail(std::string("a process to ask the driver: ") + e.what());
}

}  // namespace warminit::doctor
