#pragma once

#include "warminit/exporter/address.h"
#include "warminit/os/fd.h"

namespace warminit::exporter {

/// A TCP socket that listens on `address`.
///
/// Errors: std::system_error, which names the address, where it is taken or is none of ours.
os::Fd listen_on(const Address& address);

}  // namespace warminit::exporter
