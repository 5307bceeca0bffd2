#include "rule.h"

#include <charconv>

#include "switches.h"
#include "warminit/cuda/driver.h"

namespace warminit::simcuda {
namespace {

constexpr unsigned kHighestCode = 9999;
constexpr unsigned kMostTimes = 1'000'000;

bool is_function(std::string_view name) {
#define WARMINIT_IS(function, symbol) \
  if (name == #function) return true;
  WARMINIT_CUDA_FUNCTIONS(WARMINIT_IS)
  WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_IS)
#undef WARMINIT_IS
  return false;
}

std::string refuse(std::string_view text, const char* wanted) {
  return std::string("'").append(text).append("' is not ").append(wanted);
}

/// One rule, or the reason why `text` is none.
std::optional<Rule> parse_rule(std::string_view text, RuleKind kind, std::string& problem) {
  const std::vector<std::string_view> parts = split(text, ':');
  const std::size_t device_at = kind == RuleKind::with_code ? 2 : 1;
  if (parts.size() < device_at || parts.size() > device_at + 2) {
    problem = refuse(text, kind == RuleKind::with_code ? "function:code[:device[:times]]"
                                                       : "function[:device[:times]]");
    return std::nullopt;
  }
  Rule rule;
  rule.function = parts[0];
  if (!is_function(parts[0])) {
    problem = refuse(parts[0], "a driver function that the simulation has");
    return std::nullopt;
  }
  if (kind == RuleKind::with_code) {
    const auto code = parse_number(parts[1], 1, kHighestCode);
    if (!code) {
      problem = refuse(parts[1], "an error code from 1 to 9999");
      return std::nullopt;
    }
    rule.code = static_cast<cuda::abi::CUresult>(*code);
  }
  if (parts.size() > device_at && !parts[device_at].empty() && parts[device_at] != "*") {
    rule.device = parse_number(parts[device_at], 0, kMostDevices - 1);
    if (!rule.device) {
      problem = refuse(parts[device_at], "a device from 0 to 63 or *");
      return std::nullopt;
    }
  }
  if (parts.size() > device_at + 1) {
    rule.times = parse_number(parts[device_at + 1], 1, kMostTimes);
    if (!rule.times) {
      problem = refuse(parts[device_at + 1], "a number of times from 1 to 1000000");
      return std::nullopt;
    }
  }
  return rule;
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view value, RuleKind kind, std::string& problem) {
  std::vector<Rule> rules;
  for (const std::string_view text : split(value, ',')) {
    std::optional<Rule> rule = parse_rule(text, kind, problem);
    if (!rule) return {};
    rules.push_back(*std::move(rule));
  }
  return rules;
}

std::optional<unsigned> parse_number(std::string_view text, unsigned low, unsigned high) {
  unsigned number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < low || number > high) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace warminit::simcuda
