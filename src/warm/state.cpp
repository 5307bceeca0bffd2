#include "warminit/warm/state.h"

#include <algorithm>

namespace warminit::warm {
namespace {

bool settled(const DeviceReport& device) {
  switch (device.status) {
    case DeviceStatus::waiting:
    case DeviceStatus::initialising:
    case DeviceStatus::warming:
      return false;
    default:
      return true;
  }
}

bool fine(const DeviceReport& device) {
  return device.status == DeviceStatus::ready || device.status == DeviceStatus::skipped;
}

/// Applies one kind of report to the members it concerns.
struct Applied {
  std::optional<DriverReport>& driver;
  std::map<int, DeviceReport>& devices;
  std::optional<Problem>& problem;

  void operator()(const DriverReport& report) const {
    driver = report;
    problem.reset();
  }
  void operator()(const DeviceReport& report) const {
    // The driver said how many there are; anything else is not to grow our memory.
    if (!driver || report.ordinal < 0 || report.ordinal >= driver->devices) return;
    devices[report.ordinal] = report;
  }
  void operator()(const HolderReport& report) const { problem = report.problem; }
};

}  // namespace

void State::holder_started() {
  given_up_ = false;
  restarting_ = false;
  releasing_ = false;
  released_ = false;
  driver_.reset();
  problem_.reset();
  devices_.clear();  // The new one may see others.
}

void State::holder_ended(const Problem& why, bool will_restart) {
  given_up_ = !will_restart;
  restarting_ = will_restart;
  releasing_ = false;
  problem_ = why;
  for (auto& [ordinal, device] : devices_) {
    if (device.status == DeviceStatus::failed) continue;  // Its own reason says more.
    device.status = DeviceStatus::lost;
    device.level = HoldLevel::off;
    device.problem = problem_;
  }
}

void State::holder_releasing() { releasing_ = true; }

void State::holder_released() {
  released_ = true;
  given_up_ = restarting_ = releasing_ = false;
  problem_.reset();
  for (auto& [ordinal, device] : devices_) {
    device.status = DeviceStatus::released;
    device.level = HoldLevel::off;
    device.problem.reset();
  }
}

void State::apply(const Report& report) {
  std::visit(Applied{driver_, devices_, problem_}, report);
}

std::size_t State::count(DeviceStatus status) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      devices_, [status](const auto& entry) { return entry.second.status == status; }));
}

Readiness State::readiness() const {
  if (released_) return Readiness::released;
  if (releasing_) return Readiness::pending;
  if (given_up_) return Readiness::not_ready;
  const auto all = [&](auto test) {
    return std::ranges::all_of(devices_, [&](const auto& entry) { return test(entry.second); });
  };
  const bool complete = driver_ && devices_.size() == static_cast<std::size_t>(driver_->devices);
  const bool none_left = !devices_.empty() && count(DeviceStatus::failed) == devices_.size();
  // A lost device is on its way back, and a holder with nothing to hold is about to begin again.
  if (restarting_ || !complete || !all(settled) || count(DeviceStatus::lost) > 0 || none_left)
    return Readiness::pending;
  if (count(DeviceStatus::ready) == 0) return Readiness::not_ready;
  return all(fine) ? Readiness::ready : Readiness::partial;
}

bool State::expects_report() const {
  if (readiness() != Readiness::pending) return false;
  const bool complete = driver_ && devices_.size() == static_cast<std::size_t>(driver_->devices);
  if (!complete || count(DeviceStatus::lost) == 0) return true;
  return std::ranges::any_of(devices_, [](const auto& entry) {
    const DeviceReport& device = entry.second;
    if (device.status != DeviceStatus::lost) return !settled(device);
    return !device.problem || device.problem->code != 0;
  });
}

std::string_view to_string(Readiness readiness) {
  switch (readiness) {
    case Readiness::pending:
      return "pending";
    case Readiness::ready:
      return "ready";
    case Readiness::partial:
      return "partial";
    case Readiness::released:
      return "released";
    case Readiness::not_ready:
      break;
  }
  return "not ready";
}

}  // namespace warminit::warm
