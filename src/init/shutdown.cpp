#include "warminit/init/shutdown.h"

#include <unistd.h>

#include <csignal>

#include "warminit/init/everyone.h"
#include "warminit/init/log_event.h"

namespace warminit::init {
namespace {

/// A killed process is gone at once, unless it has much memory to give back or is stuck inside the
/// kernel; after this we go without it.
constexpr std::chrono::milliseconds kAfterKill{10000};

}  // namespace

Shutdown::Shutdown(os::EventLoop& loop, const Reaper& reaper, std::chrono::milliseconds grace)
    : loop_(loop), reaper_(reaper), grace_(grace), timer_(loop, [this] { on_grace_over(); }) {}

void Shutdown::begin(int code, pid_t group) {
  if (code_) return;
  code_ = code;
  group_ = group;
  const bool alone = !Reaper::has_children();  // Then nobody is below us: nothing to search for.
  if (!alone || ::getpid() == 1) {  // Somebody may have been put into our namespace (docker exec).
    signal_everyone(SIGTERM, group_);
    signal_everyone(SIGCONT, group_);  // A stopped process cannot act on its SIGTERM.
  }
  if (alone) return loop_.stop();
  timer_.set(grace_);
}

void Shutdown::on_reaped() {
  if (!code_) return;
  if (reaper_.alone()) return loop_.stop();
  if (killed_)
    signal_everyone(SIGKILL, group_);  // Outside our own namespace a fork can outrun one round.
}

void Shutdown::on_grace_over() {
  if (killed_) {
    log_event(spdlog::level::err, "error",
              "not ended by SIGKILL (stuck in the kernel, or out of our reach), leaving {}",
              name_everyone());
    return loop_.stop();
  }
  killed_ = true;
  log_event(spdlog::level::warn, "killed", "still running after {} ms, killing {}", grace_.count(),
            name_everyone());
  signal_everyone(SIGKILL, group_);
  timer_.set(kAfterKill);
}

}  // namespace warminit::init
