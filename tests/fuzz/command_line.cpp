// A command line, a word a line: options come out, or an answer; never a crash.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "warminit/cli/options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> argv{""};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      argv.emplace_back();
    else if (data[i] != '\0')  // No word of a command line has one.
      argv.back() += static_cast<char>(data[i]);
  }
  const auto parsed = warminit::cli::parse(argv);
  if (const auto* answer = std::get_if<warminit::cli::Answer>(&parsed);
      answer != nullptr && answer->text.empty())
    std::abort();
  return 0;
}
