// Whatever comes over the control socket is a request, or is refused with a reason.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "warminit/warm/control_protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warminit::warm;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto request = parse_request(line);
  if (const auto* why = std::get_if<std::string>(&request)) {
    const auto answer = nlohmann::json::parse(refusal_line(*why));
    if (answer.at("ok") != false || answer.at("error").get<std::string>().empty()) std::abort();
  } else if (parse_request(request_line(std::get<ControlVerb>(request))) != request) {
    std::abort();
  }
  return 0;
}
