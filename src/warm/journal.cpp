#include "warminit/warm/journal.h"

#include "warminit/init/log_event.h"

namespace warminit::warm {
namespace {

using init::log_event;
namespace level = spdlog::level;

std::string describe(const DeviceReport& device) {
  return fmt::format("GPU {} {} ({})", device.ordinal, device.uuid, device.name);
}

std::string steps(const std::map<std::string, double>& seconds) {
  std::string text;
  for (const auto& [name, value] : seconds)
    text += fmt::format("{}{} {:.1f} ms", text.empty() ? "" : ", ", name, value * 1e3);
  return text;
}

std::string with_remedy(const Problem& problem) {
  return problem.remedy.empty() ? problem.reason
                                : fmt::format("{}; {}", problem.reason, problem.remedy);
}

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

bool Journal::is_new(const std::string& subject, const std::string& text) {
  return std::exchange(last_[subject], text) != text;
}

bool Journal::is_untold(const Problem& problem) {
  constexpr std::size_t kMost = 100;  // A driver has fewer ways to fail; the memory has a bound.
  return told_.size() < kMost && told_.insert(with_remedy(problem)).second;
}

void Journal::on_report(const Report& report) {
  if (const auto* driver = std::get_if<DriverReport>(&report)) on_driver(*driver);
  if (const auto* device = std::get_if<DeviceReport>(&report)) on_device(*device);
  if (const auto* holder = std::get_if<HolderReport>(&report)) {
    if (is_untold(holder->problem))
      log_event(level::warn, "problem", "no GPU is warm: {}", with_remedy(holder->problem));
  }
}

void Journal::on_driver(const DriverReport& driver) {
  const std::string text =
      fmt::format("driver for CUDA {} from {} shows {} device{}", cuda_version(driver.version),
                  driver.path, driver.devices, driver.devices == 1 ? "" : "s");
  if (!is_new("driver", text)) return;
  if (driver.simulated)
    log_event(level::info, "simulated",
              "a SIMULATED driver is in use: its devices and their times are made up");
  log_event(level::info, "driver", "{} ({})", text, steps(driver.seconds));
}

void Journal::on_device(const DeviceReport& device) {
  const std::string who = describe(device);
  const std::string about = std::to_string(device.ordinal);
  switch (device.status) {
    case DeviceStatus::ready:
      if (device.problem && is_new(about, with_remedy(*device.problem)))
        log_event(level::warn, "device", "{} is held at level {}: {}", who, to_string(device.level),
                  with_remedy(*device.problem));
      if (!device.problem && is_new(about, "ready"))
        log_event(level::info, "device", "{} is ready at level {} ({})", who,
                  to_string(device.level), steps(device.seconds));
      break;
    case DeviceStatus::skipped:
    case DeviceStatus::failed:
    case DeviceStatus::lost:
      if (!device.problem || !is_new(about, with_remedy(*device.problem))) break;
      (void)is_untold(*device.problem);  // The holder will give the same reason for its end.
      log_event(level::warn, "device", "{} is {}: {}", who, to_string(device.status),
                with_remedy(*device.problem));
      break;
    default:
      log_event(level::debug, "device", "{} is {}", who, to_string(device.status));
  }
}

void Journal::on_state(const State& state) {
  if (closed_) return;
  const Readiness now = state.readiness();
  if (std::exchange(readiness_, now) == now) return;
  const auto time = std::chrono::steady_clock::now();
  if (now == Readiness::pending) {
    begin_ = time;
    return;
  }
  if (now == Readiness::released)
    return log_event(level::info, "released", "released: the GPUs are given back");
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time - begin_);
  const std::string text = state.devices().empty() ? "no GPU is known"
                                                   : fmt::format("{} of {} GPUs are ready",
                                                                 state.count(DeviceStatus::ready),
                                                                 state.devices().size());
  if (now == Readiness::ready)
    log_event(level::info, "ready", "ready: {} after {} ms", text, ms.count());
  else
    log_event(level::warn, "failed", "{}: {} after {} ms", to_string(now), text, ms.count());
}

void Journal::on_holder_end(const Problem& why, const std::string& next) {
  // The remedy of a driver's error has been told with the error.
  const std::string text = why.code == 0 ? with_remedy(why) : why.reason;
  const bool news = is_new("holder end", text + next);
  log_event(news ? level::warn : level::debug, "holder", "the holder ended ({}), {}", text, next);
}

}  // namespace warminit::warm
