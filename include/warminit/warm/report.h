#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

namespace warminit::warm {

/// What the holder keeps on the devices.
enum class HoldLevel {
  context,  ///< Primary contexts stay retained.
  device,   ///< The driver stays initialised; contexts are released after the warm-up.
  off,      ///< No holder at all.
};

enum class DeviceStatus { waiting, initialising, warming, ready, skipped, failed, released, lost };

/// Why something is not as it should be, for people.
struct Problem {
  int code = 0;        ///< The driver's CUresult; 0 where it did not come from a driver call.
  std::string reason;  ///< `where: why`.
  std::string remedy;  ///< What to do about it; may be empty.
};

/// The driver is loaded and initialised.
struct DriverReport {
  std::string path;
  int version = 0;  ///< As cuDriverGetVersion counts: 13000 is CUDA 13.0.
  bool simulated = false;
  int devices = 0;
  std::map<std::string, double> seconds;  ///< Of each step: load, init.
};

/// What looking again at a device that is held has shown.
struct Checks {
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;
  double last_seconds = 0;  ///< How long the last one took.
};

/// Memory of a device as a whole, whoever uses it; in bytes.
struct Memory {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// The present state of one device; replaces what was known about it.
struct DeviceReport {
  int ordinal = 0;
  std::string uuid;  ///< "GPU-…" or "MIG-…": the identity.
  std::string name;
  std::string pci_bus_id;
  std::uint64_t memory_bytes = 0;
  std::string compute_mode;
  bool mig = false;
  DeviceStatus status = DeviceStatus::waiting;
  HoldLevel level = HoldLevel::off;       ///< What is held of it now.
  std::map<std::string, double> seconds;  ///< Of each step: retain, module, launch, copy, release.
  std::optional<Memory> memory;           ///< When it was last looked at with a context.
  Checks checks;                          ///< By the holder that runs now.
  std::optional<Problem> problem;         ///< Set when skipped, failed or lost, or held for less.
};

/// The holder cannot go on, or must begin again. It ends, or tries again by itself.
struct HolderReport {
  Problem problem;
  bool permanent = false;       ///< Nothing will change that in this container.
  double retry_in_seconds = 0;  ///< It begins again by itself after that long; 0: it ends.
};

using Report = std::variant<DriverReport, DeviceReport, HolderReport>;

/// As in the reports, for other JSON.
void to_json(nlohmann::json& json, const Problem& problem);
void to_json(nlohmann::json& json, const DriverReport& report);
void to_json(nlohmann::json& json, const DeviceReport& report);

/// One JSON object on one line, with the newline.
std::string to_line(const Report& report);

/// The report in `line`; nothing where it is not one, for the other side may misbehave.
std::optional<Report> from_line(std::string_view line);

/// Words for these values, as in the options, the log and JSON.
std::string_view to_string(HoldLevel level);
std::string_view to_string(DeviceStatus status);

}  // namespace warminit::warm
