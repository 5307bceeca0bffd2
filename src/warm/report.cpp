#include "warminit/warm/report.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

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

void to_json(nlohmann::json& json, const Problem& problem) {
  json = {{"code", problem.code}, {"reason", problem.reason}, {"remedy", problem.remedy}};
}

void from_json(const nlohmann::json& json, Problem& problem) {
  json.at("code").get_to(problem.code);
  json.at("reason").get_to(problem.reason);
  json.at("remedy").get_to(problem.remedy);
}

constexpr int kMostDevices = 1024;
constexpr double kMostRetrySeconds = 3600;

/// A number from 0 to `most`. Anything else is not to be cut to what fits.
template <typename Number>
Number up_to(const nlohmann::json& json, Number most) {
  const bool whole = std::is_floating_point_v<Number> || json.is_number_unsigned();
  if (!whole || !json.is_number() || !(json.get<double>() >= 0) ||
      !(json.get<double>() <= static_cast<double>(most)))
    throw std::invalid_argument("out of range");
  return json.get<Number>();
}

void to_json(nlohmann::json& json, const DriverReport& report) {
  json = {{"path", report.path},
          {"version", report.version},
          {"simulated", report.simulated},
          {"devices", report.devices},
          {"seconds", report.seconds}};
}

void from_json(const nlohmann::json& json, DriverReport& report) {
  json.at("path").get_to(report.path);
  report.version = up_to(json.at("version"), std::numeric_limits<int>::max());
  json.at("simulated").get_to(report.simulated);
  report.devices = up_to(json.at("devices"), kMostDevices);
  json.at("seconds").get_to(report.seconds);
}

void to_json(nlohmann::json& json, const HolderReport& report) {
  json = {{"problem", report.problem},
          {"permanent", report.permanent},
          {"retry_in_seconds", report.retry_in_seconds}};
}

void from_json(const nlohmann::json& json, HolderReport& report) {
  json.at("problem").get_to(report.problem);
  json.at("permanent").get_to(report.permanent);
  report.retry_in_seconds = up_to(json.at("retry_in_seconds"), kMostRetrySeconds);
}

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
          {"seconds", report.seconds},
          {"checks",
           {{"passed", report.checks.passed},
            {"failed", report.checks.failed},
            {"last_seconds", report.checks.last_seconds}}}};
  if (report.memory)
    json["memory"] = {{"free_bytes", report.memory->free_bytes},
                      {"total_bytes", report.memory->total_bytes}};
  if (report.problem) json["problem"] = *report.problem;
}

void from_json(const nlohmann::json& json, DeviceReport& report) {
  report.ordinal = up_to(json.at("ordinal"), kMostDevices);
  json.at("uuid").get_to(report.uuid);
  json.at("name").get_to(report.name);
  json.at("pci_bus_id").get_to(report.pci_bus_id);
  report.memory_bytes = up_to(json.at("memory_bytes"), std::numeric_limits<std::uint64_t>::max());
  json.at("compute_mode").get_to(report.compute_mode);
  json.at("mig").get_to(report.mig);
  report.status = from_word(json.at("status"), kStatuses);
  report.level = from_word(json.at("level"), kLevels);
  json.at("seconds").get_to(report.seconds);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const auto& checks = json.at("checks");
  report.checks = {up_to(checks.at("passed"), kMost), up_to(checks.at("failed"), kMost),
                   checks.at("last_seconds").get<double>()};
  if (const auto memory = json.find("memory"); memory != json.end())
    report.memory = {up_to(memory->at("free_bytes"), kMost),
                     up_to(memory->at("total_bytes"), kMost)};
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
