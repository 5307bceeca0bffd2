#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace warminit::os {

/// The whole of `text` as a decimal number; nothing where it is something else or does not fit.
inline std::optional<int> to_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace warminit::os
