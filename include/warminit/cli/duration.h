#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace warminit::cli {

/// The duration that `text` says: a decimal number and one of the units ms, s, m, h ("500ms",
/// "1.5s"). Nothing for anything else, also for a bare number: 30 of what?
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace warminit::cli
