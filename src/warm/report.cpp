#include "warminit/warm/report.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace warminit::warm {

namespace {

constexpr const char* kNames[] = {"driver", "device", "holder"};  // In the order of Report.

constexpr std::array kLevels{HoldLevel::context, HoldLevel::device, HoldLevel::off};
constexpr std::array kStatuses{
    DeviceStatus::waiting, DeviceStatus::initialising, DeviceStatus::warming,  DeviceStatus::ready,
    DeviceStatus::skipped, DeviceStatus::failed,       DeviceStatus::released, DeviceStatus::lost};

/// The one of `values` whose word `json` is; a word that is none of them is no report of ours.
template <typename Values>
auto from_word(const nlohmann::json& json, const Values& values) {
  const auto it = std::ranges::find(values, json.get<std::string>(),
                                    [](auto value) { return std::string(to_string(value)); });
  if (it == values.end()) throw std::invalid_argument("unknown word");
  return *it;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Problem, code, reason, remedy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DriverReport, path, version, simulated, devices, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HolderReport, problem, permanent, retry_in_seconds)

void to_json(nlohmann::json& json, const DeviceReport& report) {
  json = {{"ordinal", report.ordinal},
          {"uuid", report.uuid},
          {"name", report.name},
          {"pci_bus_id", report.pci_bus_id},
          {"memory_bytes", report.memory_bytes},
          {"compute_mode", report.compute_mode},
          {"mig", report.mig},
          {"status", to_string(report.status)},
          {"level", to_string(report.level)},
          {"seconds", report.seconds}};
  if (report.problem) json["problem"] = *report.problem;
}

void from_json(const nlohmann::json& json, DeviceReport& report) {
  json.at("ordinal").get_to(report.ordinal);
  json.at("uuid").get_to(report.uuid);
  json.at("name").get_to(report.name);
  json.at("pci_bus_id").get_to(report.pci_bus_id);
  json.at("memory_bytes").get_to(report.memory_bytes);
  json.at("compute_mode").get_to(report.compute_mode);
  json.at("mig").get_to(report.mig);
  report.status = from_word(json.at("status"), kStatuses);
  report.level = from_word(json.at("level"), kLevels);
  json.at("seconds").get_to(report.seconds);
  if (json.contains("problem")) report.problem = json.at("problem").get<Problem>();
}

std::string to_line(const Report& report) {
  nlohmann::json json;
  std::visit([&](const auto& value) { json[kNames[report.index()]] = value; }, report);
  // A device name or a path may hold bytes that are no UTF-8; the line must be written all the
  // same.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<Report> from_line(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 1) return std::nullopt;
  try {
    const std::string name = json.begin().key();
    if (name == kNames[0]) return json.begin()->get<DriverReport>();
    if (name == kNames[1]) return json.begin()->get<DeviceReport>();
    if (name == kNames[2]) return json.begin()->get<HolderReport>();
  } catch (const std::exception&) {
    // A field is missing, or of another type, or says what we do not know: as good as no report.
  }
  return std::nullopt;
}

std::string_view to_string(HoldLevel level) {
  switch (level) {
    case HoldLevel::context:
      return "context";
    case HoldLevel::device:
      return "device";
    case HoldLevel::off:
      break;
  }
  return "off";
}

std::string_view to_string(DeviceStatus status) {
  switch (status) {
    case DeviceStatus::waiting:
      return "waiting";
    case DeviceStatus::initialising:
      return "initialising";
    case DeviceStatus::warming:
      return "warming";
    case DeviceStatus::ready:
      return "ready";
    case DeviceStatus::skipped:
      return "skipped";
    case DeviceStatus::failed:
      return "failed";
    case DeviceStatus::released:
      return "released";
    case DeviceStatus::lost:
      break;
  }
  return "lost";
}

}  // namespace warminit::warm
