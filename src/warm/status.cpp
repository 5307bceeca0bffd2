#include "warminit/warm/status.h"

#include <nlohmann/json.hpp>

namespace warminit::warm {
namespace {

template <typename T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

nlohmann::json status_of(const State* state, const HolderFacts& facts) {
  const bool off = state == nullptr || facts.level == HoldLevel::off;
  nlohmann::json devices = nlohmann::json::array();
  if (!off)
    for (const auto& [ordinal, device] : state->devices()) devices.push_back(device);
  return {
      {"readiness", off ? "off" : to_string(state->readiness())},
      {"ready", !off && state->readiness() == Readiness::ready},
      {"hold", to_string(facts.level)},
      {"driver", off ? nlohmann::json(nullptr) : or_null(state->driver())},
      {"problem", off ? nlohmann::json(nullptr) : or_null(state->problem())},
      {"holder", {{"pid", or_null(facts.pid)}, {"starts", facts.starts}}},
      {"devices", std::move(devices)},
  };
}

}  // namespace warminit::warm
