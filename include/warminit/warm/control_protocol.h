#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

/// The language of the control socket: a JSON object on a line each way (docs/PROTOCOL.md).
namespace warminit::warm {

inline constexpr int kControlVersion = 1;

/// A longer request is refused. The longest that we know has 40 bytes.
inline constexpr std::size_t kMostRequestBytes = 4096;

/// Where clients look if nothing tells them otherwise.
inline constexpr const char* kDefaultSocket = "/run/warminit/control.sock";

/// What may be asked for.
enum class ControlVerb {
  status,   ///< The state as it is.
  wait,     ///< The state once it is settled: answered when nothing is on its way any more.
  release,  ///< Give the GPUs back; answered when the holder has ended.
  acquire,  ///< Take them again; answered at once.
  probe,    ///< A first GPU call in a fresh process; answered when that has ended.
};

/// Whether `verb` changes nothing and costs nothing: what the socket's group may ask for.
bool only_reads(ControlVerb verb);

/// The verb asked for in `line`, or why it is no request, for the asker.
std::variant<ControlVerb, std::string> parse_request(std::string_view line);

/// Lines, with their newline.
std::string request_line(ControlVerb verb);
std::string answer_line(const nlohmann::json& status);
std::string refusal_line(const std::string& why);

}  // namespace warminit::warm
