#include "warminit/init/reaper.h"

#include <sys/wait.h>

#include <cerrno>

#include "warminit/os/signals.h"

namespace warminit::init {

int Reaper::reap() {
  // One SIGCHLD can stand for many deaths, so ask until nobody is left to ask about.
  for (int reaped = 0;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (pid <= 0) {
      alone_ = pid < 0 && errno == ECHILD;
      return reaped;
    }
    if (WIFSTOPPED(status)) {
      on_stopped(pid, WSTOPSIG(status));
      continue;
    }
    ++reaped;
    if (const auto node = expected_.extract(pid)) {
      node.mapped().ended(status);
    } else {
      ++orphans_reaped_;
      if (orphan_reaped_) orphan_reaped_(pid, status);
    }
  }
}

bool Reaper::has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void Reaper::on_stopped(pid_t pid, int signal) {
  const auto it = expected_.find(pid);
  if (it == expected_.end() || !it->second.stopped) return;
  const StopHandler stopped = it->second.stopped;  // It may change whom we expect.
  stopped(signal);
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string describe_status(int status) {
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "signal " + os::signal_name(WTERMSIG(status)) +
         (WCOREDUMP(status) ? " (core dumped)" : "");
}

}  // namespace warminit::init
