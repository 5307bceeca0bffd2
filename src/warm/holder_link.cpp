#include "warminit/warm/holder_link.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <utility>

#include "warminit/init/log_event.h"
#include "warminit/os/spawn.h"

namespace warminit::warm {
namespace {

/// A report is far shorter. A holder that writes more without a newline misbehaves.
constexpr std::size_t kMostLineBytes = 65536;
constexpr int kMostBadLines = 100;
/// How much is read of what a holder wrote before it ended: more than its socket holds.
constexpr int kMostLastReads = 256;

/// A GPU that ends the holder so often is left out by the next one, for the sake of the others.
constexpr int kMostFatalErrors = 2;

/// An H200's context takes 0.1 s to release.
constexpr std::chrono::milliseconds kReleaseTime{2000};

std::array<os::Fd, 2> make_link() {
  std::array<int, 2> ends{};
  os::check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  std::array<os::Fd, 2> link{os::Fd(ends[0]), os::Fd(ends[1])};
  // Ours alone: the holder may wait for us, we never for it.
  os::check(::fcntl(link[0].get(), F_SETFL, O_NONBLOCK), "fcntl(F_SETFL)");
  return link;
}

}  // namespace

HolderLink::HolderLink(os::EventLoop& loop, init::Reaper& reaper, HolderOptions options,
                       init::RestartPolicy policy, std::function<void()> changed)
    : loop_(loop),
      options_(std::move(options)),
      executable_(os::own_executable()),
      changed_(std::move(changed)),
      supervisor_(
          loop, reaper, policy,
          {[this] { return start_process(); },
           [](int status) { return WIFSIGNALED(status) || WEXITSTATUS(status) != kHolderGivesUp; },
           [this](const init::Supervisor::Ending& ending) { on_end(ending); }}),
      hang_timer_(loop, [this] { on_hang(); }) {}

HolderLink::~HolderLink() { disconnect(); }

void HolderLink::start() { supervisor_.start(); }

void HolderLink::close() {
  closing_ = true;
  journal_.close();
  supervisor_.retire();
  disconnect();
  if (supervisor_.pid()) hang_timer_.set(kReleaseTime);  // The driver may hang here too.
}

pid_t HolderLink::start_process() {
  disconnect();
  hung_ = false;
  blamed_ = false;
  state_.holder_started();
  auto [ours, theirs] = make_link();
  os::SpawnOptions spawn;
  spawn.argv = holder_arguments(options_);
  spawn.file = executable_;
  spawn.only_descriptors = true;
  sigfillset(&spawn.signals.mask);  // It ends by its link, in order; only SIGKILL is quicker.
  spawn.environment = {
      {"CUDA_DISABLE_PERF_BOOST", "1"},  // An idle context is no reason for high clocks.
      {"CUDA_MODULE_LOADING", "LAZY"},
      {"CUDA_DEVICE_MAX_CONNECTIONS", "1"},  // Halves the cost of its context; it needs one queue.
  };
  spawn.descriptors = {{kHolderLink, theirs.get()}};
  const os::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) spawn.descriptors[STDIN_FILENO] = null.get();
  // Whatever libcuda prints must not get into the command's output.
  spawn.descriptors[STDOUT_FILENO] = STDERR_FILENO;
  spawn.descriptors[STDERR_FILENO] = STDERR_FILENO;
  const pid_t pid = os::spawn(spawn);

  socket_ = std::move(ours);
  loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { on_readable(); });
  hang_timer_.set(options_.init_timeout);
  init::log_event(spdlog::level::debug, "holder", "started the holder as pid {}", pid);
  return pid;
}

void HolderLink::on_readable() {
  // One piece a wake-up: signals and orphans get their turn whatever the holder writes.
  std::array<char, 4096> chunk{};
  const ssize_t n = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return disconnect();  // Its end follows as SIGCHLD.
  buffer_.append(chunk.data(), static_cast<std::size_t>(n));
  for (std::size_t end = 0; (end = buffer_.find('\n')) != std::string::npos;) {
    const std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    on_line(line);
    if (!socket_) return;  // `changed_` has closed us.
  }
  if (buffer_.size() > kMostLineBytes) on_misbehaviour("writes a line without end");
}

void HolderLink::on_misbehaviour(const char* what) {
  init::log_event(spdlog::level::err, "holder", "the holder {}, killing it", what);
  supervisor_.kill(SIGKILL);
  disconnect();
}

void HolderLink::on_line(const std::string& line) {
  const auto report = from_line(line);
  if (!report) {
    init::log_event(spdlog::level::warn, "holder", "not a report of the holder, ignoring: '{}'",
                    line.substr(0, 200));
    if (++bad_lines_ == kMostBadLines) on_misbehaviour("writes no reports");
    return;
  }
  if (const auto* device = std::get_if<DeviceReport>(&*report)) blame(*device);
  state_.apply(*report);
  journal_.on_report(*report);
  journal_.on_state(state_);
  std::chrono::nanoseconds patience = options_.init_timeout;
  if (const auto* holder = std::get_if<HolderReport>(&*report))
    patience += std::chrono::nanoseconds(static_cast<std::int64_t>(holder->retry_in_seconds * 1e9));
  const Readiness readiness = state_.readiness();
  if (readiness == Readiness::pending)
    hang_timer_.set(patience);
  else
    hang_timer_.cancel();
  if (state_.count(DeviceStatus::ready) > 0 && readiness != Readiness::pending)
    supervisor_.succeeded();
  changed_();
}

void HolderLink::blame(const DeviceReport& device) {
  // The first one that is lost: what it has done to the process makes the others fail after it.
  if (device.status != DeviceStatus::lost || std::exchange(blamed_, true)) return;
  if (++fatal_errors_[device.ordinal] == kMostFatalErrors) options_.skip.insert(device.ordinal);
}

void HolderLink::on_hang() {
  hung_ = true;
  supervisor_.kill(SIGKILL);
  if (closing_) {
    init::log_event(spdlog::level::warn, "holder",
                    "the driver has not released the GPUs in {} ms, killing the holder",
                    kReleaseTime.count());
    return;
  }
  const Problem problem{
      0, fmt::format("the driver has not answered for {} ms", options_.init_timeout.count()),
      "the holder is killed; if it stays, it hangs inside the kernel: see the host's kernel log"};
  const Report report = HolderReport{problem, false};
  state_.apply(report);
  journal_.on_report(report);
  changed_();
}

void HolderLink::on_end(const init::Supervisor::Ending& ending) {
  for (int i = 0; socket_ && i < kMostLastReads; ++i) on_readable();  // What it said last counts.
  disconnect();
  hang_timer_.cancel();
  if (closing_) {
    init::log_event(spdlog::level::debug, "holder", "the holder ended with {}",
                    init::describe_status(ending.status));
    return;
  }
  // A holder that ends by itself, or for its hang, has left a reason.
  Problem why{0, init::describe_status(ending.status), ""};
  if ((hung_ || !WIFSIGNALED(ending.status)) && state_.problem())
    why = *state_.problem();
  else if (WIFSIGNALED(ending.status))
    why.remedy = "the driver crashed, or somebody killed it";
  state_.holder_ended(why, ending.restart_in.has_value());
  journal_.on_holder_end(
      why, ending.restart_in ? fmt::format("starting it again in {} ms", ending.restart_in->count())
                             : std::string("not starting it again"));
  journal_.on_state(state_);
  changed_();
}

void HolderLink::disconnect() {
  if (!socket_) return;
  loop_.unwatch(socket_.get());
  socket_ = os::Fd();
  buffer_.clear();
}

}  // namespace warminit::warm
