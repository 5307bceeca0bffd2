#include "warminit/init/shutdown.h"

#include <unistd.h>

#include <csignal>

#include "warminit/init/log_event.h"
#include "warminit/os/process_tree.h"

namespace warminit::init {
namespace {

/// A killed process is gone at once, unless it is stuck inside the kernel; then we go without it.
constexpr std::chrono::milliseconds kAfterKill{500};

/// Sends `signal` to everything below us.
void signal_all(int signal) {
  if (::getpid() == 1) {
    (void)::kill(-1, signal);  // One step that no fork can outrun. ESRCH: nobody is left.
    return;
  }
  for (const pid_t pid : os::descendants(::getpid()))
    (void)::kill(pid, signal);  // Fails where it has ended meanwhile or is another user's now.
}

}  // namespace

Shutdown::Shutdown(os::EventLoop& loop, const Reaper& reaper, std::chrono::milliseconds grace)
    : loop_(loop), reaper_(reaper), grace_(grace), timer_(loop, [this] { on_grace_over(); }) {}

void Shutdown::begin(int code) {
  if (code_) return;
  code_ = code;
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // A stopped process cannot act on its SIGTERM.
  timer_.set(grace_);
}

void Shutdown::on_reaped() {
  if (!code_) return;
  if (reaper_.alone()) return loop_.stop();
  if (killed_) signal_all(SIGKILL);  // Outside our own namespace a fork can outrun one round.
}

void Shutdown::on_grace_over() {
  if (killed_) {
    log_event(spdlog::level::err, "error",
              "a process does not end even on SIGKILL (stuck in the kernel), leaving it");
    return loop_.stop();
  }
  killed_ = true;
  log_event(spdlog::level::warn, "killed", "processes still ran after {} ms, killing them",
            grace_.count());
  signal_all(SIGKILL);
  timer_.set(kAfterKill);
}

}  // namespace warminit::init
