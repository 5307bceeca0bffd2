#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "warminit/exporter/exposition.h"

namespace warminit::exporter {

/// The states that a device can be in, as the status words them; a test holds them to warm's.
inline constexpr std::array<std::string_view, 8> kDeviceStates{
    "waiting", "initialising", "warming", "ready", "skipped", "failed", "released", "lost"};

/// The metrics that `status`, PID 1's answer, amounts to; no object where PID 1 did not answer.
///
/// A field that is missing or of another type gives no sample. Times are in seconds, sizes in
/// bytes. A device is named by its UUID and, beside it, its ordinal.
std::string to_metrics(const nlohmann::json& status, MetricsFormat format);

}  // namespace warminit::exporter
