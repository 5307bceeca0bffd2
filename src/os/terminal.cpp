#include "warminit/os/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace warminit::os {
namespace {

bool has_no_process(pid_t group) { return ::kill(-group, 0) != 0 && errno == ESRCH; }

/// Takes `signal` out of what is pending, if the kernel has sent it; a process's one stays.
void discard_from_kernel(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  siginfo_t info{};
  const timespec now{};
  if (::sigtimedwait(&set, &info, &now) == signal && info.si_code <= SI_USER)
    (void)::kill(::getpid(), signal);
}

}  // namespace

bool owns_terminal() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

void give_terminal(pid_t group) { (void)::tcsetpgrp(STDIN_FILENO, group); }

void take_terminal_back(pid_t group) {
  const pid_t front = ::tcgetpgrp(STDIN_FILENO);
  if (front > 0 && (front == group || has_no_process(front))) give_terminal(::getpgrp());
}

bool terminal_is_orphaned() {
  const pid_t front = ::tcgetpgrp(STDIN_FILENO);
  return front > 0 && has_no_process(front);
}

void detach_terminal() {
  if (::ioctl(STDIN_FILENO, TIOCNOTTY) != 0) return;
  discard_from_kernel(SIGHUP);
  discard_from_kernel(SIGCONT);
}

bool stop_ourselves(int signal) {
  sigset_t set;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&set);
  sigaddset(&set, signal);
  (void)::kill(0, signal);  // Pending, for every signal is blocked; POSIX discards a SIGCONT by it.
  (void)::sigprocmask(SIG_UNBLOCK, &set, &before);  // Here we stop.
  (void)::sigprocmask(SIG_SETMASK, &before, nullptr);
  return ::sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

}  // namespace warminit::os
