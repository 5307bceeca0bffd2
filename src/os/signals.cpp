#include "warminit/os/signals.h"

#include <sys/signalfd.h>

#include <cstring>

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
  signal.queued = info.ssi_code == SI_QUEUE;
  std::memcpy(&signal.value, &info.ssi_ptr, sizeof signal.value);
  return signal;
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
