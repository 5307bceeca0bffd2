#include "visible.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>

#include "rule.h"

namespace warminit::simcuda {
namespace {

using Names = std::vector<std::vector<std::string>>;

bool is_uuid(std::string_view entry) {
  return entry.substr(0, 4) == "GPU-" || entry.substr(0, 4) == "MIG-";
}

/// The one device with a name that begins with `prefix`; "GPU-" alone begins no name.
std::optional<unsigned> find_name(const std::string& prefix, const Names& names) {
  std::optional<unsigned> found;
  if (prefix.size() <= 4) return found;
  for (unsigned device = 0; device < names.size(); ++device) {
    const bool matches = std::any_of(
        names[device].begin(), names[device].end(),
        [&](const std::string& name) { return name.compare(0, prefix.size(), prefix) == 0; });
    if (!matches) continue;
    if (found) return std::nullopt;
    found = device;
  }
  return found;
}

/// A number as strtol takes it: spaces, sign and base prefix before it, anything after it.
std::optional<unsigned> find_number(const std::string& entry, std::size_t devices) {
  char* end = nullptr;
  const long number = std::strtol(entry.c_str(), &end, 0);
  if (end == entry.c_str() || number < 0) return std::nullopt;
  if (static_cast<unsigned long>(number) >= devices) return std::nullopt;
  return static_cast<unsigned>(number);
}

}  // namespace

Visible visible_devices(const char* value, const Names& names) {
  Visible visible;
  if (value == nullptr) {
    visible.devices.resize(names.size());
    std::iota(visible.devices.begin(), visible.devices.end(), 0U);
  } else {
    for (const std::string_view part : split(value, ',')) {
      const std::string entry(part);
      const std::optional<unsigned> device =
          is_uuid(entry) ? find_name(entry, names) : find_number(entry, names.size());
      if (!device) break;
      if (std::count(visible.devices.begin(), visible.devices.end(), *device) != 0)
        return {cuda::abi::CUDA_ERROR_INVALID_DEVICE, {}};
      visible.devices.push_back(*device);
    }
  }
  if (visible.devices.empty()) visible.result = cuda::abi::CUDA_ERROR_NO_DEVICE;
  return visible;
}

}  // namespace warminit::simcuda
