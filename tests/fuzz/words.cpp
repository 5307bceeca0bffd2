// Words of a command line: durations, signals, numbers are read or refused.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "warminit/cli/duration.h"
#include "warminit/os/number.h"
#include "warminit/os/signals.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto signal = warminit::os::parse_signal(text); signal && (*signal < 1 || *signal > 64))
    std::abort();
  if (const auto duration = warminit::cli::parse_duration(text); duration && duration->count() < 0)
    std::abort();
  (void)warminit::os::to_number(text);
  return 0;
}
