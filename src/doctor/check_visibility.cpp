#include <fmt/core.h>

#include "warminit/cuda/abi.h"
#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

constexpr const char* kName = "CUDA_VISIBLE_DEVICES";

/// Only for the explanation: what the driver makes of the value it has said itself.
bool means_none(const std::string& value) {
  return value.empty() || value.front() == '-' || value == "NoDevFiles";
}

std::string gpus(std::size_t count) {
  return fmt::format("{} GPU{}", count, count == 1 ? "" : "s");
}

/// The driver shows none with the variable, and `there` without.
Finding explain_none(const Seen& seen, const std::string& value, std::size_t there) {
  const std::string what =
      fmt::format("{}='{}'; without it there is {}", kName, value, gpus(there));
  if (seen.driver.says(cuda::abi::CUDA_ERROR_INVALID_DEVICE))
    return finding("duplicate-visible-device", what, "it names a GPU twice, and then none counts",
                   "name each GPU once");
  if (means_none(value))
    return finding("all-gpus-hidden", what, "the value hides every GPU",
                   fmt::format("unset {}, or let it name the GPUs that are wanted", kName));
  return finding("unknown-visible-device", what,
                 "the first entry names a GPU that does not exist here; inside a container the "
                 "numbers begin at 0 again",
                 fmt::format("unset {} where the runtime already chooses the GPUs; 'warminit "
                             "devices' without it shows what there is",
                             kName));
}

}  // namespace

Findings check_visibility(const Seen& seen) {
  const auto value = seen.machine.variable(kName);
  if (!value || !seen.unhidden || !seen.unhidden->shows_devices()) return {};
  const std::size_t shown = seen.driver.devices.size();
  const std::size_t there = seen.unhidden->devices.size();
  if (!seen.driver.shows_devices()) {
    const bool by_variable = !seen.driver.problem ||
                             seen.driver.says(cuda::abi::CUDA_ERROR_NO_DEVICE) ||
                             seen.driver.says(cuda::abi::CUDA_ERROR_INVALID_DEVICE);
    return by_variable ? Findings{explain_none(seen, *value, there)} : Findings{};
  }

  Findings findings;
  std::vector<std::string> entries = split(*value, ',');
  while (!entries.empty() && entries.back().empty()) entries.pop_back();
  // The driver stops at the first entry that it does not know. "-1" there is a usual way to stop
  // it.
  if (shown < entries.size() && (entries[shown].empty() || !means_none(entries[shown])))
    findings.push_back(
        finding("visible-devices-cut-short",
                fmt::format("{}='{}' has {} entries; the driver shows {}", kName, *value,
                            entries.size(), gpus(shown)),
                fmt::format("'{}' names no GPU here, and the driver stops at it", entries[shown]),
                "let it name GPUs that exist here, each once"));
  else if (shown < there)
    findings.push_back(
        finding("some-gpus-hidden",
                fmt::format("{}='{}' shows {} of {}", kName, *value, shown, gpus(there)),
                "the others are in this container, but not for programs with this variable",
                "nothing, if that is meant"));
  return findings;
}

}  // namespace warminit::doctor
