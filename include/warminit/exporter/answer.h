#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace warminit::exporter {

/// What the exporter asks PID 1, and all that it ever asks.
inline constexpr std::string_view kQuestion = "{\"version\":1,\"verb\":\"status\"}\n";

/// What PID 1 said.
struct Answer {
  nlohmann::json status;  ///< An object; null where there is no answer, and `problem` says why.
  std::string problem;
};

/// Reads one line of PID 1's. Anything that is no answer of version 1 becomes a problem.
Answer parse_answer(std::string_view line);

}  // namespace warminit::exporter
