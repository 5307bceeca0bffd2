#include "warminit/warm/control_protocol.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace warminit::warm {
namespace {

constexpr std::array<std::pair<ControlVerb, std::string_view>, 5> kVerbs{
    {{ControlVerb::status, "status"},
     {ControlVerb::wait, "wait"},
     {ControlVerb::release, "release"},
     {ControlVerb::acquire, "acquire"},
     {ControlVerb::probe, "probe"}}};

/// A name of a device or what a client sent may hold bytes that are no UTF-8.
std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

bool only_reads(ControlVerb verb) {
  return verb == ControlVerb::status || verb == ControlVerb::wait;
}

std::variant<ControlVerb, std::string> parse_request(std::string_view line) {
  // No recursion to fear: the parser works on a stack of its own, and the line is short.
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "not a JSON object on a line";
  const auto version = json.find("version");
  if (version == json.end() || !version->is_number_integer())
    return "\"version\" is missing; this is version " + std::to_string(kControlVersion);
  if (*version != kControlVersion)
    return "version " + version->dump() + " is not spoken here, but " +
           std::to_string(kControlVersion);
  const auto verb = json.find("verb");
  if (verb == json.end() || !verb->is_string())
    return "\"verb\" is missing; status, wait, release, acquire and probe are known";
  const auto* const it = std::ranges::find(kVerbs, verb->get_ref<const std::string&>(),
                                           &std::pair<ControlVerb, std::string_view>::second);
  if (it == kVerbs.end())
    return "this verb is not known; status, wait, release, acquire and probe are";
  return it->first;
}

std::string request_line(ControlVerb verb) {
  const auto* const it =
      std::ranges::find(kVerbs, verb, &std::pair<ControlVerb, std::string_view>::first);
  return dump({{"version", kControlVersion}, {"verb", it->second}});
}

std::string answer_line(const nlohmann::json& status) {
  return dump({{"version", kControlVersion}, {"ok", true}, {"status", status}});
}

std::string refusal_line(const std::string& why) {
  return dump({{"version", kControlVersion}, {"ok", false}, {"error", why}});
}

}  // namespace warminit::warm
