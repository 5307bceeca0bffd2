#include "warminit/cli/control.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "warminit/init/log_event.h"
#include "warminit/os/unix_socket.h"
#include "warminit/warm/status.h"

namespace warminit::cli {

using warm::ControlVerb;
using warm::Readiness;

Control::Control(os::EventLoop& loop, const Subject& subject)
    : loop_(loop), subject_(subject), ready_signal_(subject_.options.operate.ready) {}

Control::~Control() { close(); }

void Control::open() {
  const OperateOptions& options = subject_.options.operate;
  if (options.socket.empty() || listening_) return;
  try {
    // Whatever the umask: who may write there could put a socket of his own in our place. What is
    // really wrong, bind will say.
    (void)::mkdir(std::filesystem::path(options.socket).parent_path().c_str(), 0755);
    os::Fd listener = os::listen_at(options.socket, options.socket_group);
    listening_ = true;
    if (!server_)
      server_.emplace(loop_, warm::ControlLimits(),
                      [this](ControlVerb verb, const Answer& answer) { handle(verb, answer); });
    server_->serve(std::move(listener), options.socket_group);
  } catch (const std::system_error& e) {
    // The default place is root's: no news in a container of another user.
    const auto level = options.socket_given ? spdlog::level::warn : spdlog::level::info;
    init::log_event(level, "socket",
                    "no control socket at '{}', ignoring: {}; --socket names another place",
                    options.socket, e.code().message());
  }
}

void Control::adopt(os::Fd connection) {
  if (!server_)
    server_.emplace(loop_, warm::ControlLimits(),
                    [this](ControlVerb verb, const Answer& answer) { handle(verb, answer); });
  server_->adopt(std::move(connection));
}

void Control::on_state() {
  if (!holds()) return ready_signal_.on_off();
  if (subject_.holder) ready_signal_.on_state(subject_.holder->state());
  if (readiness() == Readiness::pending) return;
  answer_all(until_settled_, status());
  if (readiness() == Readiness::released) answer_all(until_released_, status());
}

void Control::on_end() {
  ending_ = true;
  ready_signal_.close();
  if (probe_) probe_->close();
}

void Control::keep(std::vector<Answer>& answers, const Answer& answer) {
  std::erase_if(answers, [](const Answer& kept) { return !kept.is_wanted(); });
  answers.push_back(answer);
}

void Control::answer_all(std::vector<Answer>& answers, const nlohmann::json& status) {
  if (answers.empty()) return;
  const std::string line = warm::answer_line(status);
  for (const Answer& answer : std::exchange(answers, {})) answer(line);
}

void Control::close() {
  ready_signal_.close();
  if (std::exchange(listening_, false)) (void)::unlink(subject_.options.operate.socket.c_str());
}

void Control::handle(ControlVerb verb, const Answer& answer) {
  switch (verb) {
    case ControlVerb::status:
      return answer(warm::answer_line(status()));
    case ControlVerb::wait:
      if (holds() && readiness() == Readiness::pending)
        keep(until_settled_, answer);
      else
        answer(warm::answer_line(status()));
      return;
    case ControlVerb::release:
      return release(answer);
    case ControlVerb::acquire:
      if (!holds()) return answer(warm::refusal_line("nothing is held here (--hold off)"));
      if (subject_.holder) subject_.holder->acquire();
      answer_all(until_released_, status());  // What they asked for will not come now.
      return answer(warm::answer_line(status()));
    case ControlVerb::probe:
      return probe(answer);
  }
}

void Control::release(const Answer& answer) {
  if (!holds()) return answer(warm::refusal_line("nothing is held here (--hold off)"));
  if (!subject_.holder) return answer(warm::refusal_line("the holder has not been started yet"));
  if (readiness() == Readiness::released) return answer(warm::answer_line(status()));
  init::log_event(spdlog::level::info, "release", "asked to give the GPUs back");
  keep(until_released_, answer);
  subject_.holder->release();
}

void Control::probe(const Answer& answer) {
  if (ending_) return answer(warm::refusal_line("init is about to end"));
  try {
    if (!probe_)
      probe_.emplace(loop_, subject_.reaper, subject_.options.holder,
                     [this](const nlohmann::json& result) {
                       nlohmann::json told = status();
                       told["probe"] = result;
                       answer_all(until_probed_, told);
                     });
    probe_->ask();
    keep(until_probed_, answer);
  } catch (const std::system_error& e) {
    answer(warm::refusal_line(std::string("no probe could be started: ") + e.what()));
  }
}

bool Control::holds() const { return subject_.options.holder.level != warm::HoldLevel::off; }

Readiness Control::readiness() const {
  return subject_.holder ? subject_.holder->state().readiness() : Readiness::pending;
}

nlohmann::json Control::status() const {
  const auto& holder = subject_.holder;
  const warm::State nothing_known;
  warm::HolderFacts facts{subject_.options.holder.level, std::nullopt, 0};
  if (holder) facts.pid = holder->pid(), facts.starts = holder->starts();
  nlohmann::json json = warm::status_of(holder ? &holder->state() : &nothing_known, facts);
  json["warminit"] = WARMINIT_VERSION;
  json["pid"] = ::getpid();
  const std::chrono::duration<double> uptime = std::chrono::steady_clock::now() - begin_;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  json["uptime_seconds"] = uptime.count();
  json["start_time_seconds"] = (now - uptime).count();
  json["init"] = {{"orphans_reaped", subject_.reaper.orphans_reaped()},
                  {"signals_forwarded", subject_.command.signals_forwarded()}};
  const auto pid = subject_.command.pid();
  json["command"] = {{"pid", pid ? nlohmann::json(*pid) : nlohmann::json(nullptr)}};
  return json;
}

}  // namespace warminit::cli
