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
  holder_ = Holder::expected;
  driver_.reset();
  problem_.reset();
  devices_.clear();  // The new one may see others.
}

void State::holder_ended(const Problem& why, bool will_restart) {
  holder_ = will_restart ? Holder::restarting : Holder::given_up;
  problem_ = why;
  for (auto& [ordinal, device] : devices_) {
    if (device.status == DeviceStatus::failed) continue;  // Its own reason says more.
    device.status = DeviceStatus::lost;
    device.level = HoldLevel::off;
    device.problem = problem_;
  }
}

void State::holder_releasing() {
  if (holder_ != Holder::released) holder_ = Holder::releasing;
}

void State::holder_released() {
  holder_ = Holder::released;
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
  if (holder_ == Holder::released) return Readiness::released;
  if (holder_ == Holder::given_up) return Readiness::not_ready;
  const auto all = [&](auto test) {
    return std::ranges::all_of(devices_, [&](const auto& entry) { return test(entry.second); });
  };
  const bool complete = driver_ && devices_.size() == static_cast<std::size_t>(driver_->devices);
  const bool none_left = !devices_.empty() && count(DeviceStatus::failed) == devices_.size();
  // A lost device is on its way back, and a holder with nothing to hold is about to begin again.
  if (holder_ != Holder::expected || !complete || !all(settled) || count(DeviceStatus::lost) > 0 ||
      none_left)
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
