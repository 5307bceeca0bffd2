#include "warminit/init/supervisor.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

#include "warminit/init/log_event.h"

namespace warminit::init {
namespace {

/// The wait status of a process that could not even be made: exit code 71, EX_OSERR.
constexpr int kNoProcess = 71 << 8;

}  // namespace

Supervisor::Supervisor(os::EventLoop& loop, Reaper& reaper, RestartPolicy policy, Hooks hooks)
    : reaper_(reaper),
      policy_(policy),
      hooks_(std::move(hooks)),
      restart_timer_(loop, [this] { start(); }) {}

void Supervisor::start() {
  started_ = std::chrono::steady_clock::now();
  succeeded_ = false;
  try {
    pid_ = hooks_.start();
  } catch (const std::exception& e) {
    log_event(spdlog::level::err, "error", "starting a helper process, ignoring: {}", e.what());
    return on_end(kNoProcess);
  }
  reaper_.expect(*pid_, [this](int status) { on_end(status); });
}

void Supervisor::retire() {
  retired_ = true;
  restart_timer_.cancel();
}

void Supervisor::revive() {
  retired_ = false;
  failures_in_row_ = 0;
  restart_timer_.cancel();
  start();
}

void Supervisor::kill(int signal) const {
  if (pid_) (void)::kill(*pid_, signal);  // ESRCH: it is about to be reaped.
}

void Supervisor::on_end(int status) {
  pid_.reset();
  Ending ending{status, std::nullopt};
  if (!retired_ && hooks_.restartable(status)) ending.restart_in = next_delay();
  if (ending.restart_in) restart_timer_.set(*ending.restart_in);
  hooks_.ended(ending);
}

std::optional<std::chrono::milliseconds> Supervisor::next_delay() {
  // Running long is no success: a driver that hangs does so too.
  if (succeeded_ && std::chrono::steady_clock::now() - started_ > policy_.delay_max)
    failures_in_row_ = 0;
  if (failures_in_row_ >= policy_.limit) return std::nullopt;
  auto delay = policy_.delay;
  for (int i = 0; i < failures_in_row_ && delay < policy_.delay_max; ++i) delay *= 2;
  ++failures_in_row_;
  return std::min(delay, policy_.delay_max);
}

}  // namespace warminit::init
