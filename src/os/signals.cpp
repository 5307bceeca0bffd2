#include "warminit/os/signals.h"

#include <sys/signalfd.h>

#include <cstring>

#include "warminit/os/number.h"

namespace warminit::os {

SignalState block_all_signals() {
  SignalState state;
  sigset_t all;
  sigfillset(&all);
  check(::sigprocmask(SIG_SETMASK, &all, &state.mask), "sigprocmask");
  struct sigaction action {};
  check(::sigaction(SIGCHLD, nullptr, &action), "sigaction");
  // A handler cannot survive exec, so it is SIG_IGN or SIG_DFL. Flags such as SA_NOCLDWAIT do not
  // survive either.
  state.child_ignored = action.sa_handler == SIG_IGN;
  if (state.child_ignored) {
    action = {};
    action.sa_handler = SIG_DFL;
    check(::sigaction(SIGCHLD, &action, nullptr), "sigaction");
  }
  return state;
}

void restore_signals(const SignalState& state) {
  if (state.child_ignored) {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    (void)::sigaction(SIGCHLD, &action, nullptr);  // Cannot fail for SIGCHLD.
  }
  (void)::sigprocmask(SIG_SETMASK, &state.mask, nullptr);  // Cannot fail for a mask we were given.
}

SignalFd::SignalFd() {
  sigset_t all;
  sigfillset(&all);
  fd_ = Fd(check(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
}

std::optional<Signal> SignalFd::next() {
  signalfd_siginfo info{};
  const ssize_t n = ::read(fd_.get(), &info, sizeof info);
  if (n != sizeof info) {
    if (n < 0 && errno != EAGAIN && errno != EINTR) check(n, "read(signalfd)");
    return std::nullopt;
  }
  Signal signal;
  signal.number = static_cast<int>(info.ssi_signo);
  signal.sender = static_cast<pid_t>(info.ssi_pid);
  signal.from_kernel = info.ssi_code == SI_KERNEL;
  signal.queued = info.ssi_code == SI_QUEUE;
  std::memcpy(&signal.value, &info.ssi_ptr, sizeof signal.value);
  return signal;
}

namespace {

/// RTMIN+3, RTMAX-1, RTMIN, RTMAX.
std::optional<int> parse_real_time(std::string_view name) {
  const bool from_min = name.starts_with("RTMIN");
  const int base = from_min ? SIGRTMIN : SIGRTMAX;
  const std::string_view rest = name.substr(5);
  if (rest.empty()) return base;
  if (rest.front() != (from_min ? '+' : '-')) return std::nullopt;
  const auto offset = to_number(rest.substr(1));
  if (!offset || *offset < 0 || *offset > SIGRTMAX - SIGRTMIN) return std::nullopt;
  return from_min ? base + *offset : base - *offset;
}

}  // namespace

std::optional<int> parse_signal(std::string_view text) {
  if (const auto number = to_number(text))
    return *number >= 1 && *number <= SIGRTMAX ? number : std::nullopt;
  if (text.starts_with("SIG")) text.remove_prefix(3);
  if (text.starts_with("RTMIN") || text.starts_with("RTMAX")) return parse_real_time(text);
  for (int number = 1; number < SIGRTMIN; ++number) {
    const char* abbreviation = ::sigabbrev_np(number);
    if (abbreviation != nullptr && text == abbreviation) return number;
  }
  return std::nullopt;
}

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

std::string signal_name(int number) {
  if (number >= SIGRTMIN && number <= SIGRTMAX) {
    const int offset = number - SIGRTMIN;
    return offset == 0 ? "SIGRTMIN" : "SIGRTMIN+" + std::to_string(offset);
  }
  const char* abbreviation = ::sigabbrev_np(number);
  if (abbreviation == nullptr) return "signal " + std::to_string(number);
  return std::string("SIG") + abbreviation;
}

}  // namespace warminit::os
