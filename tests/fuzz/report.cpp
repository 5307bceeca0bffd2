// Whatever a holder writes is a report, or is not; a report that was taken goes round unchanged,
// and the state, the status and the log take it.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "warminit/cli/status_table.h"
#include "warminit/warm/status.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warminit::warm;
  const auto report = from_line({reinterpret_cast<const char*>(data), size});
  if (!report) return 0;
  const std::string line = to_line(*report);
  const auto again = from_line(line);
  if (!again || to_line(*again) != line) std::abort();

  State state;
  state.holder_started();
  DriverReport driver;
  driver.devices = 2;
  state.apply(driver);
  state.apply(*report);
  auto status = status_of(&state, {HoldLevel::context, 7, 1});
  status["uptime_seconds"] = 1.0;
  if (warminit::cli::status_table(status).empty()) std::abort();
  return 0;
}
