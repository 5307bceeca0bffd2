#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace warminit::exporter {

/// What stands in `json` under these names, one inside the other; null where there is no such
/// field.
inline nlohmann::json field(const nlohmann::json& json, std::initializer_list<const char*> names) {
  const nlohmann::json* here = &json;
  for (const char* name : names) {
    const auto it = here->is_object() ? here->find(name) : here->end();
    if (it == here->end()) return nullptr;
    here = &*it;
  }
  return *here;
}

/// The same, as text: a string as it is, null as nothing, any other value as JSON writes it.
inline std::string text_field(const nlohmann::json& json,
                              std::initializer_list<const char*> names) {
  const nlohmann::json value = field(json, names);
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace warminit::exporter
