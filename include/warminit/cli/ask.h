#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "warminit/warm/control_protocol.h"

namespace warminit::cli {

/// What the init behind `socket` answers to `verb`: its line, read as JSON.
///
/// Errors: std::system_error, with what was tried in its text, where nobody answers: ETIMEDOUT
/// after `timeout`, EPROTO for an answer that is none.
nlohmann::json ask(const std::string& socket, warm::ControlVerb verb,
                   std::chrono::milliseconds timeout);

}  // namespace warminit::cli
