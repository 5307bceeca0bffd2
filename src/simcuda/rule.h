#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warminit/cuda/abi.h"

namespace warminit::simcuda {

/// One entry of SIMCUDA_FAIL, SIMCUDA_HANG or SIMCUDA_CRASH: which calls it is about.
struct Rule {
  std::string function;            ///< As in the loader's table, without the symbol's version.
  cuda::abi::CUresult code = 0;    ///< SIMCUDA_FAIL only.
  std::optional<unsigned> device;  ///< All of them if absent.
  std::optional<unsigned> times;   ///< Always if absent.
};

enum class RuleKind { with_code, without_code };

/// Reads a list of rules; the grammar is in switches.h. On a bad entry `problem` says why.
std::vector<Rule> parse_rules(std::string_view value, RuleKind kind, std::string& problem);

/// The number that is all of `text`, if it lies in [low, high].
std::optional<unsigned> parse_number(std::string_view text, unsigned low, unsigned high);

/// The parts between the separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace warminit::simcuda
