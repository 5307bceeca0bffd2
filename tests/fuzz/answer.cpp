// Whatever a status holds, the table for people is made of it or refused: a client must not crash.

#include <cstdint>
#include <nlohmann/json.hpp>

#include "warminit/cli/status_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
  try {
    (void)warminit::cli::status_table(json);
  } catch (const nlohmann::json::exception&) {
  }
  return 0;
}
