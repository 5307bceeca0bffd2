#include "warminit/init/reaper.h"

#include <sys/wait.h>

#include <cerrno>

#include "warminit/os/signals.h"

namespace warminit::init {

int Reaper::reap() {
  // One SIGCHLD can stand for many deaths, so ask until nobody is left to ask about.
  for (int reaped = 0;; ++reaped) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      alone_ = pid < 0 && errno == ECHILD;
      return reaped;
    }
    if (const auto node = expected_.extract(pid))
      node.mapped()(status);
    else
      ++orphans_reaped_;
  }
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
