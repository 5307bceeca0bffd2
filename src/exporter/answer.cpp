#include "warminit/exporter/answer.h"

#include "warminit/exporter/field.h"

namespace warminit::exporter {

Answer parse_answer(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (field(json, {"version"}) != 1) return {nullptr, "PID 1 answered in words not known here"};
  if (field(json, {"ok"}) != true) return {nullptr, "PID 1: " + text_field(json, {"error"})};
  Answer answer{field(json, {"status"}), ""};
  if (!answer.status.is_object()) return {nullptr, "PID 1 answered without a status"};
  return answer;
}

}  // namespace warminit::exporter
