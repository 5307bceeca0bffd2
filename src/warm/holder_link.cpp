#include "warminit/warm/holder_link.h"

#include <sys/wait.h>

#include <csignal>
#include <utility>

#include "warminit/init/log_event.h"
#include "warminit/os/spawn.h"

namespace warminit::warm {
namespace {

/// A GPU that ends the holder so often is left out by the next one, for the sake of the others.
constexpr int kMostFatalErrors = 2;

/// An H200's context takes 0.1 s to release.
constexpr std::chrono::milliseconds kReleaseTime{2000};

bool ended_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

}  // namespace

HolderLink::HolderLink(os::EventLoop& loop, init::Reaper& reaper, HolderOptions options,
                       init::RestartPolicy policy, std::function<void()> changed)
    : options_(std::move(options)),
      executable_(os::own_executable()),
      changed_(std::move(changed)),
      supervisor_(loop, reaper, policy,
                  {[this] { return start_process(); },
                   [](int status) {
                     return !ended_with(status, kHolderGivesUp) &&
                            !ended_with(status, kHolderUnneeded);
                   },
                   [this](const init::Supervisor::Ending& ending) { on_end(ending); }}),
      link_(loop, {[this](const Report& report) { on_report(report); },
                   [this] { supervisor_.kill(SIGKILL); }}),
      hang_timer_(loop, [this] { on_hang(); }) {}

void HolderLink::start() { supervisor_.start(); }

void HolderLink::close() {
  phase_ = Phase::closing;
  journal_.close();
  state_.holder_releasing();
  let_go();
}

void HolderLink::release() {
  if (phase_ != Phase::holding) return;
  phase_ = Phase::releasing;
  state_.holder_releasing();
  let_go();
  if (!supervisor_.pid()) return on_released();
  changed_();
}

void HolderLink::acquire() {
  if (phase_ == Phase::released) {
    phase_ = Phase::holding;
    supervisor_.revive();
  } else if (phase_ == Phase::releasing) {
    phase_ = Phase::holding;  // Its end, which is near, is followed by a new beginning.
  } else if (phase_ == Phase::holding && !supervisor_.pid()) {
    supervisor_.revive();  // It had given up, or waits for its next try: whoever asks knows more.
  }
}

void HolderLink::let_go() {
  supervisor_.retire();
  link_.close();
  if (supervisor_.pid()) hang_timer_.set(kReleaseTime);  // The driver may hang here too.
}

void HolderLink::on_released() {
  phase_ = Phase::released;
  state_.holder_released();
  journal_.on_state(state_);
  changed_();
}

pid_t HolderLink::start_process() {
  link_.close();
  hung_ = false;
  blamed_ = false;
  state_.holder_started();
  const pid_t pid = link_.start(options_, executable_);
  ++starts_;
  hang_timer_.set(options_.init_timeout);
  init::log_event(spdlog::level::debug, "holder", "started the holder as pid {}", pid);
  return pid;
}

void HolderLink::on_report(const Report& report) {
  if (const auto* device = std::get_if<DeviceReport>(&report)) blame(*device);
  state_.apply(report);
  journal_.on_report(report);
  journal_.on_state(state_);
  wait_for_next(report);
  if (state_.count(DeviceStatus::ready) > 0 && state_.readiness() != Readiness::pending)
    supervisor_.succeeded();
  changed_();
}

void HolderLink::wait_for_next(const Report& last) {
  overdue_ = false;
  std::chrono::nanoseconds patience = options_.init_timeout;
  if (const auto* holder = std::get_if<HolderReport>(&last))
    patience += std::chrono::nanoseconds(static_cast<std::int64_t>(holder->retry_in_seconds * 1e9));
  if (state_.expects_report()) return hang_timer_.set(patience);
  const bool checked = options_.health_interval > std::chrono::milliseconds::zero() &&
                       state_.count(DeviceStatus::ready) + state_.count(DeviceStatus::lost) > 0;
  if (checked)
    hang_timer_.set(patience + options_.health_interval);
  else
    hang_timer_.cancel();
}

void HolderLink::blame(const DeviceReport& device) {
  // A device file that is gone (code 0) is no doing of the GPU, and ends no holder. Of the others
  // the first: what it has done to the process makes the rest fail after it.
  if (device.status != DeviceStatus::lost || !device.problem || device.problem->code == 0) return;
  if (std::exchange(blamed_, true)) return;
  // While several are warmed side by side, another's call may be the first to be told of it. The
  // next holder warms them one by one, and whose it was then was it before.
  const bool clear =
      options_.one_by_one ||
      state_.count(DeviceStatus::initialising) + state_.count(DeviceStatus::warming) < 2;
  options_.one_by_one = true;  // From now on: only the first fatal error can be unclear.
  if (!clear) {
    is_blame_open_ = true;
    return;
  }
  int& errors = fatal_errors_[device.ordinal];
  errors += std::exchange(is_blame_open_, false) ? 2 : 1;
  if (errors >= kMostFatalErrors) options_.skip.insert(device.ordinal);
}

void HolderLink::on_hang() {
  const bool at_rest = !state_.expects_report();  // Nothing is to be heard but health checks.
  // After a pause of the whole container both timers have expired: the holder's comes first.
  if (at_rest && !supervisor_.retired() && !std::exchange(overdue_, true))
    return hang_timer_.set(options_.init_timeout);
  hung_ = true;
  supervisor_.kill(SIGKILL);
  if (supervisor_.retired()) {
    init::log_event(spdlog::level::warn, "holder",
                    "the driver has not released the GPUs in {} ms, killing the holder",
                    kReleaseTime.count());
    return;
  }
  const auto silence =
      at_rest ? options_.health_interval + 2 * options_.init_timeout : options_.init_timeout;
  const Problem problem{
      0,
      fmt::format("{} for {} ms",
                  at_rest ? "the holder has not checked the GPUs" : "the driver has not answered",
                  silence.count()),
      "the holder is killed; if it stays, it hangs inside the kernel: see the host's kernel log"};
  const Report report = HolderReport{problem, false};
  state_.apply(report);
  journal_.on_report(report);
  changed_();
}

void HolderLink::on_end(const init::Supervisor::Ending& ending) {
  link_.finish();  // What it said last counts.
  hang_timer_.cancel();
  if (phase_ != Phase::holding || supervisor_.retired()) {
    init::log_event(spdlog::level::debug, "holder", "the holder ended with {}",
                    init::describe_status(ending.status));
    if (phase_ == Phase::releasing) return on_released();
    if (phase_ == Phase::holding) supervisor_.revive();  // Acquired while it was releasing.
    return;
  }
  if (ended_with(ending.status, kHolderUnneeded)) {
    init::log_event(spdlog::level::info, "release",
                    "no other process has used the GPUs for {} ms, giving them back; 'warminit "
                    "acquire' takes them again",
                    options_.release_after.count());
    return on_released();
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

}  // namespace warminit::warm
