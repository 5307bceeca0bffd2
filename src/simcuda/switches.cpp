#include "switches.h"

#include <cstdlib>
#include <string_view>

#include "warminit/cuda/abi.h"

namespace warminit::simcuda {
namespace {

constexpr unsigned kHourMs = 3'600'000;

/// Reads one variable after the other and keeps the first complaint.
class Reader {
 public:
  /// The value, or an empty text.
  static std::string_view value(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
  }

  std::optional<unsigned> number(const char* name, unsigned low, unsigned high) {
    const std::string_view text = value(name);
    if (text.empty()) return std::nullopt;
    const std::optional<unsigned> number = parse_number(text, low, high);
    if (!number) refuse(name, text, range("a number", low, high));
    return number;
  }

  std::optional<std::chrono::milliseconds> milliseconds(const char* name) {
    const std::optional<unsigned> ms = number(name, 0, kHourMs);
    if (!ms) return std::nullopt;
    return std::chrono::milliseconds(*ms);
  }

  std::vector<unsigned> devices(const char* name) {
    std::vector<unsigned> devices;
    if (value(name).empty()) return devices;
    for (const std::string_view text : split(value(name), ',')) {
      const std::optional<unsigned> device = parse_number(text, 0, kMostDevices - 1);
      if (!device) refuse(name, text, range("a device", 0, kMostDevices - 1));
      devices.push_back(device.value_or(0));
    }
    return devices;
  }

  std::vector<int> compute_modes(const char* name) {
    std::vector<int> modes;
    for (const std::string_view text : split(value(name), ',')) {
      if (text == "exclusive") {
        modes.push_back(cuda::abi::CU_COMPUTEMODE_EXCLUSIVE_PROCESS);
      } else if (text == "prohibited") {
        modes.push_back(cuda::abi::CU_COMPUTEMODE_PROHIBITED);
      } else {
        if (text != "default" && !value(name).empty())
          refuse(name, text, "default, exclusive or prohibited");
        modes.push_back(cuda::abi::CU_COMPUTEMODE_DEFAULT);
      }
    }
    return modes;
  }

  std::vector<Rule> rules(const char* name, RuleKind kind) {
    if (value(name).empty()) return {};
    std::string problem;
    std::vector<Rule> rules = parse_rules(value(name), kind, problem);
    if (!problem.empty()) complain(name, problem);
    return rules;
  }

  std::string problem() && { return std::move(problem_); }

 private:
  static std::string range(const char* what, unsigned low, unsigned high) {
    return std::string(what) + " from " + std::to_string(low) + " to " + std::to_string(high);
  }

  void refuse(const char* name, std::string_view text, const std::string& wanted) {
    complain(name, std::string("'").append(text).append("' is not ").append(wanted));
  }

  void complain(const char* name, const std::string& what) {
    if (problem_.empty()) problem_ = std::string(name) + ": " + what;
  }

  std::string problem_;
};

}  // namespace

Switches read_switches() {
  Reader reader;
  Switches switches;
  switches.devices = reader.number("SIMCUDA_DEVICES", 0, kMostDevices).value_or(switches.devices);
  switches.init = reader.milliseconds("SIMCUDA_INIT_MS").value_or(switches.init);
  switches.context = reader.milliseconds("SIMCUDA_CONTEXT_MS").value_or(switches.context);
  if (const auto mib = reader.number("SIMCUDA_MEMORY_MIB", 1, 1U << 24))
    switches.memory_bytes = *mib * kMiB;
  switches.compute_modes = reader.compute_modes("SIMCUDA_COMPUTE_MODE");
  switches.mig = reader.number("SIMCUDA_MIG", 0, 1).value_or(0) == 1;
  switches.fail = reader.rules("SIMCUDA_FAIL", RuleKind::with_code);
  switches.hang = reader.rules("SIMCUDA_HANG", RuleKind::without_code);
  switches.hang_after = reader.milliseconds("SIMCUDA_HANG_AFTER_MS").value_or(switches.hang_after);
  switches.crash = reader.rules("SIMCUDA_CRASH", RuleKind::without_code);
  switches.wrong_result = reader.devices("SIMCUDA_WRONG_RESULT");
  switches.sticky_after = reader.milliseconds("SIMCUDA_STICKY_AFTER_MS");
  if (const auto version = reader.number("SIMCUDA_DRIVER_VERSION", 1000, 999'999))
    switches.driver_version = static_cast<int>(*version);
  switches.device_file = Reader::value("SIMCUDA_DEVICE_FILE");
  switches.shared = Reader::value("SIMCUDA_SHARED");
  switches.problem = std::move(reader).problem();
  return switches;
}

}  // namespace warminit::simcuda
