#include "warminit/warm/probe.h"

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "warminit/os/spawn.h"
#include "warminit/warm/status.h"

namespace warminit::warm {

Probe::Probe(os::EventLoop& loop, init::Reaper& reaper, HolderOptions options, Done done)
    : reaper_(reaper),
      options_(std::move(options)),
      done_(std::move(done)),
      executable_(os::own_executable()),
      link_(loop, {[this](const Report& report) {
                     state_.apply(report);
                     hang_timer_.set(options_.init_timeout);
                   },
                   [this] { close(); }}),
      hang_timer_(loop, [this] {
        hung_ = true;
        close();
      }) {
  options_.once = true;
  options_.level = HoldLevel::context;
}

void Probe::close() {
  if (pid_) (void)::kill(*pid_, SIGKILL);  // It has every other signal blocked.
}

void Probe::ask() {
  if (pid_) return;
  state_ = State();
  hung_ = false;
  begin_ = std::chrono::steady_clock::now();
  pid_ = link_.start(options_, executable_);
  hang_timer_.set(options_.init_timeout);
  reaper_.expect(*pid_, [this](int status) { on_end(status); });
}

void Probe::on_end(int status) {
  link_.finish();
  hang_timer_.cancel();
  pid_.reset();
  nlohmann::json result = status_of(&state_, {HoldLevel::context, std::nullopt, 1});
  result.erase("holder");
  result.erase("hold");
  result["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  result["ended"] = init::describe_status(status);
  if (hung_)
    result["ended"] = "the driver has not answered for " +
                      std::to_string(options_.init_timeout.count()) + " ms, killed";
  // What it could do before it crashed or hung is no success.
  if (status != 0) {
    result["ready"] = false;
    result["readiness"] = to_string(Readiness::not_ready);
  }
  done_(result);
}

}  // namespace warminit::warm
