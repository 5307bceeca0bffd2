#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "warminit/cli/options.h"

namespace warminit::test {

/// The options in `arguments`, as they stand behind "warminit"; a failure if they are refused.
inline cli::Options options_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "warminit");
  const auto parsed = cli::parse(arguments);
  if (const auto* answer = std::get_if<cli::Answer>(&parsed)) {
    ADD_FAILURE() << answer->text;
    return {};
  }
  return std::get<cli::Options>(parsed);
}

/// The answer to `arguments`, which are no order to run; a failure if they are.
inline cli::Answer answer_to(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "warminit");
  const auto parsed = cli::parse(arguments);
  if (const auto* answer = std::get_if<cli::Answer>(&parsed)) return *answer;
  ADD_FAILURE() << "was taken for an order";
  return {};
}

}  // namespace warminit::test
