#pragma once

#include <string>
#include <system_error>

namespace warminit::init {

/// Whether exec's `error` says that there is no such file: 127 of env(1) and sh, else 126.
bool means_not_found(int error);

/// "'servr': not found in PATH", with what to do about it.
std::string explain_exec_error(const std::string& name, const std::string& file, int error);

/// What a call that failed says, with what to do where a limit was reached.
std::string explain(const std::system_error& error);

}  // namespace warminit::init
