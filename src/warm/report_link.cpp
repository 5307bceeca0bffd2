#include "warminit/warm/report_link.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <utility>

#include "warminit/init/log_event.h"
#include "warminit/os/spawn.h"

namespace warminit::warm {
namespace {

/// A report is far shorter. Who writes more without a newline misbehaves.
constexpr std::size_t kMostLineBytes = 65536;
constexpr int kMostBadLines = 100;
/// How much is read of what a process wrote before it ended: more than its socket holds.
constexpr int kMostLastReads = 256;

std::array<os::Fd, 2> make_socket_pair() {
  std::array<int, 2> ends{};
  os::check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  std::array<os::Fd, 2> pair{os::Fd(ends[0]), os::Fd(ends[1])};
  // Ours alone: the other may wait for us, we never for it.
  os::check(::fcntl(pair[0].get(), F_SETFL, O_NONBLOCK), "fcntl(F_SETFL)");
  return pair;
}

}  // namespace

ReportLink::ReportLink(os::EventLoop& loop, Hooks hooks) : loop_(loop), hooks_(std::move(hooks)) {}

ReportLink::~ReportLink() { close(); }

pid_t ReportLink::start(const HolderOptions& options, const std::string& executable) {
  close();
  bad_lines_ = 0;
  auto [ours, theirs] = make_socket_pair();
  os::SpawnOptions spawn;
  spawn.argv = holder_arguments(options);
  spawn.file = executable;
  spawn.only_descriptors = true;
  sigfillset(&spawn.signals.mask);  // It ends by its link, in order; only SIGKILL is quicker.
  spawn.environment = {
      {"CUDA_DISABLE_PERF_BOOST", "1"},  // An idle context is no reason for high clocks.
      {"CUDA_MODULE_LOADING", "LAZY"},
      {"CUDA_DEVICE_MAX_CONNECTIONS", "1"},  // Halves the cost of its context; it needs one queue.
  };
  spawn.without = option_variables();
  spawn.descriptors = {{kHolderLink, theirs.get()}};
  const os::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) spawn.descriptors[STDIN_FILENO] = null.get();
  // Whatever libcuda prints must not get into the command's output.
  spawn.descriptors[STDOUT_FILENO] = STDERR_FILENO;
  spawn.descriptors[STDERR_FILENO] = STDERR_FILENO;
  const pid_t pid = os::spawn(spawn);

  socket_ = std::move(ours);
  loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { on_readable(); });
  return pid;
}

void ReportLink::finish() {
  for (int i = 0; socket_ && i < kMostLastReads; ++i) on_readable();
  close();
}

void ReportLink::close() {
  if (!socket_) return;
  loop_.unwatch(socket_.get());
  socket_ = os::Fd();
  buffer_.clear();
}

void ReportLink::on_readable() {
  // One piece a wake-up: signals and orphans get their turn whatever the other writes.
  std::array<char, 4096> chunk{};
  const ssize_t n = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return close();  // Its end follows as SIGCHLD.
  buffer_.append(chunk.data(), static_cast<std::size_t>(n));
  for (std::size_t end = 0; (end = buffer_.find('\n')) != std::string::npos;) {
    const std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    on_line(line);
    if (!socket_) return;  // A hook has closed us.
  }
  if (buffer_.size() > kMostLineBytes) misbehave("writes a line without end");
}

void ReportLink::on_line(const std::string& line) {
  if (const auto report = from_line(line)) return hooks_.report(*report);
  init::log_event(spdlog::level::warn, "holder", "not a report of the holder, ignoring: '{}'",
                  line.substr(0, 200));
  if (++bad_lines_ == kMostBadLines) misbehave("writes no reports");
}

void ReportLink::misbehave(const char* what) {
  init::log_event(spdlog::level::err, "holder", "the holder {}, killing it", what);
  close();
  hooks_.misbehaved();
}

}  // namespace warminit::warm
