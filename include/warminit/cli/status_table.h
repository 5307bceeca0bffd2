#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warminit::cli {

/// A status (docs/PROTOCOL.md) for people: what is held, a line per device, what is wrong and what
/// to do about it. Throws nlohmann::json::exception where a field is missing.
std::string status_table(const nlohmann::json& status);

}  // namespace warminit::cli
