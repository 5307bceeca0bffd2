#pragma once

#include <string>
#include <vector>

#include "warminit/exporter/address.h"

namespace warminit::exporter {

/// The descriptor of an exporter at which its link to PID 1 stands: a stream socket. It asks there,
/// one line a question, and ends when the other side is closed.
inline constexpr int kExporterLink = 3;

/// The command line that starts an exporter on `address`.
std::vector<std::string> exporter_arguments(const Address& address);

/// The exporter process: listens on `address`, gives up its privileges, and serves until PID 1 is
/// gone. Needs every signal blocked. Returns its exit code.
///
/// Errors: std::system_error where it cannot listen; std::runtime_error where it was not init that
/// started it.
int run_exporter(const Address& address);

}  // namespace warminit::exporter
