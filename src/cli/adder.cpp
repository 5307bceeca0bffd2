#include "warminit/cli/adder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "warminit/cli/duration.h"

namespace warminit::cli {
namespace {

/// "-g,--grace" → "--grace".
std::string long_name(const std::string& name) { return name.substr(name.rfind(',') + 1); }

/// "--init-timeout" → "WARMINIT_INIT_TIMEOUT".
std::string variable_of(const std::string& name) {
  std::string variable = "WARMINIT_" + long_name(name).substr(2);
  std::ranges::transform(variable, variable.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return variable;
}

/// What the usual words for yes and no mean.
std::optional<bool> to_bool(const std::string& word) {
  constexpr std::array kYes{"1", "true", "yes", "on"};
  constexpr std::array kNo{"0", "false", "no", "off", ""};
  if (std::ranges::find(kYes, word) != kYes.end()) return true;
  if (std::ranges::find(kNo, word) != kNo.end()) return false;
  return std::nullopt;
}

}  // namespace

void Adder::refuse(const std::string& name, const std::string& why) const {
  const std::string option = long_name(name);
  const std::string variable = variable_of(name);
  const bool given = app_.count(option) > 0 && std::getenv(variable.c_str()) == nullptr;
  throw CLI::ValidationError(given ? option : option + " (" + variable + ")", why);
}

Adder::Milliseconds Adder::to_duration(const std::string& name, const std::string& value) const {
  const auto duration = parse_duration(value);
  if (!duration)
    refuse(name, "'" + value + "' is not a duration; write a number with a unit: 500ms, 30s, 2m");
  return *duration;
}

void Adder::duration(const std::string& name, Milliseconds& target, const std::string& help) {
  text(name, "DURATION", help,
       [this, name, &target](const std::string& value) { target = to_duration(name, value); });
}

void Adder::duration(const std::string& name, std::optional<Milliseconds>& target,
                     const std::string& help) {
  text(name, "DURATION", help,
       [this, name, &target](const std::string& value) { target = to_duration(name, value); });
}

void Adder::optional_duration(const std::string& name, std::optional<Milliseconds>& target,
                              Milliseconds otherwise, const std::string& help) {
  auto* option = app_.add_option_function<std::vector<std::string>>(
      name,
      [this, name, &target, otherwise](const std::vector<std::string>& values) {
        const std::string value = values.empty() || values[0].empty() ? "true" : values[0];
        // "1" and "0" are durations without a unit here.
        const bool number = value.find_first_not_of("0123456789") == std::string::npos;
        const auto wanted = number ? std::nullopt : to_bool(value);
        if (!wanted)
          target = to_duration(name, value);
        else
          target = *wanted ? std::optional(otherwise) : std::nullopt;
      },
      help);
  option->expected(0, 1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("[=DURATION]")
      ->envname(variable_of(name));
}

void Adder::number(const std::string& name, int& target, const std::string& help) {
  text(name, "N", help, [this, name, &target](const std::string& value) {
    const bool digits = !value.empty() && value.size() < 8 &&
                        std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) refuse(name, "'" + value + "' is not a number from 0 to 9999999");
    target = std::stoi(value);
  });
}

void Adder::text(const std::string& name, const std::string& type, const std::string& help,
                 const std::function<void(const std::string&)>& take) {
  app_.add_option_function<std::string>(name, take, help)
      ->type_name(type)
      ->take_last()
      ->envname(variable_of(name));
}

void Adder::list(const std::string& name, const std::string& type, const std::string& help,
                 std::function<void(const std::string&)> take) {
  app_.add_option_function<std::vector<std::string>>(
          name,
          [take = std::move(take)](const std::vector<std::string>& values) {
            for (const std::string& value : values) take(value);
          },
          help)
      ->type_name(type)
      ->allow_extra_args(false)
      ->delimiter(',')
      ->envname(variable_of(name));
}

void Adder::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help);
  flags_.push_back({name, &target});
}

void Adder::read_flag_variables() const {
  for (const auto& [name, target] : flags_) {
    const char* value = std::getenv(variable_of(name).c_str());
    if (value == nullptr || app_.count(long_name(name)) > 0) continue;
    const auto wanted = to_bool(value);
    if (!wanted) refuse(name, std::string("'") + value + "' is none of true|false");
    *target = *wanted;
  }
}

}  // namespace warminit::cli
