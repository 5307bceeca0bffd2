#include "warminit/cli/duration.h"

#include <array>
#include <charconv>
#include <utility>

namespace warminit::cli {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
    {{"ms", 1.0}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}}};

/// A hundred years; more would overflow the arithmetic of timers.
constexpr double kMostMilliseconds = 100.0 * 365 * 24 * 3600e3;

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || value < 0) return std::nullopt;
  const std::string_view name(unit, static_cast<std::size_t>(end - unit));
  for (const auto& [known, milliseconds] : kUnits) {
    if (name != known) continue;
    const double total = value * milliseconds;
    if (!(total <= kMostMilliseconds)) return std::nullopt;
    return std::chrono::round<std::chrono::milliseconds>(
        std::chrono::duration<double, std::milli>(total));
  }
  return std::nullopt;
}

}  // namespace warminit::cli
