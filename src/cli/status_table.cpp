#include "warminit/cli/status_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warminit::cli {
namespace {

using nlohmann::json;

constexpr double kMiB = 1024.0 * 1024.0;

std::string text(const json& value) { return value.get<std::string>(); }

/// A whole number from 0 on; get<int>() would also cut a float that is far too large.
std::uint64_t count(const json& value) {
  return value.is_number_integer() ? value.get<std::uint64_t>()
                                   : value.get_ref<const json::number_unsigned_t&>();  // Throws.
}

std::string cuda_version(std::uint64_t version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string steps(const json& seconds) {
  std::string line;
  for (const auto& [name, value] : seconds.items())
    line += fmt::format("{}{} {:.1f}", line.empty() ? "" : ", ", name, value.get<double>() * 1e3);
  return line;
}

std::string problem_lines(const json& problem, const std::string& indent) {
  std::string lines = indent + text(problem.at("reason")) + "\n";
  if (!text(problem.at("remedy")).empty())
    lines += indent + "to do: " + text(problem.at("remedy")) + "\n";
  return lines;
}

std::string device_lines(const json& device) {
  std::string lines = fmt::format("GPU {}  {:<12} {:<8} {}  {}\n", count(device.at("ordinal")),
                                  text(device.at("status")), text(device.at("level")),
                                  text(device.at("uuid")), text(device.at("name")));
  if (!device.at("seconds").empty()) lines += "       ms: " + steps(device.at("seconds")) + "\n";
  if (const auto memory = device.find("memory"); memory != device.end())
    lines += fmt::format("       memory: {:.0f} of {:.0f} MiB free, when last looked at\n",
                         memory->at("free_bytes").get<double>() / kMiB,
                         memory->at("total_bytes").get<double>() / kMiB);
  const json& checks = device.at("checks");
  if (checks.at("passed") != 0 || checks.at("failed") != 0)
    lines += fmt::format("       checks: {} passed, {} failed, the last in {:.1f} ms\n",
                         count(checks.at("passed")), count(checks.at("failed")),
                         checks.at("last_seconds").get<double>() * 1e3);
  if (const auto problem = device.find("problem"); problem != device.end())
    lines += problem_lines(*problem, "       ");
  return lines;
}

std::string driver_line(const json& driver) {
  if (driver.is_null()) return "driver: not loaded\n";
  const bool simulated = driver.at("simulated").get<bool>();
  return fmt::format("driver: CUDA {} from {}{} (ms: {})\n",
                     cuda_version(count(driver.at("version"))), text(driver.at("path")),
                     simulated ? ", SIMULATED: devices and times are made up" : "",
                     steps(driver.at("seconds")));
}

std::string probe_lines(const json& probe) {
  std::string lines = fmt::format("probe: a fresh process was {} after {:.0f} ms ({})\n",
                                  text(probe.at("readiness")),
                                  probe.at("seconds").get<double>() * 1e3, text(probe.at("ended")));
  if (!probe.at("problem").is_null()) lines += problem_lines(probe.at("problem"), "       ");
  for (const json& device : probe.at("devices"))
    if (text(device.at("status")) != "ready") lines += device_lines(device);
  return lines;
}

}  // namespace

std::string status_table(const json& status) {
  std::string table = fmt::format(
      "{}: hold {}, holder started {} time{}, up for {:.0f} s\n", text(status.at("readiness")),
      text(status.at("hold")), count(status.at("holder").at("starts")),
      status.at("holder").at("starts") == 1 ? "" : "s", status.at("uptime_seconds").get<double>());
  table += driver_line(status.at("driver"));
  for (const json& device : status.at("devices")) table += device_lines(device);
  if (!status.at("problem").is_null()) table += problem_lines(status.at("problem"), "");
  if (const auto probe = status.find("probe"); probe != status.end()) table += probe_lines(*probe);
  return table;
}

}  // namespace warminit::cli
