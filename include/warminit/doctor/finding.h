#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warminit/doctor/catalogue.h"

namespace warminit::doctor {

/// One thing that keeps GPUs from working or from being fast, or that is good to know.
struct Finding {
  std::string_view code;  ///< One of kCatalogue.
  Severity severity = Severity::note;
  std::string what;    ///< One line: the evidence, with path, value or errno.
  std::string why;     ///< What that leads to, or comes from.
  std::string remedy;  ///< What a person can do about it.
};

using Findings = std::vector<Finding>;

/// The severity comes from the catalogue.
inline Finding finding(Code code, std::string what, std::string why, std::string remedy) {
  return {code.entry().code, code.entry().severity, std::move(what), std::move(why),
          std::move(remedy)};
}

/// "error", "warning", "note".
std::string_view to_string(Severity severity);

}  // namespace warminit::doctor
