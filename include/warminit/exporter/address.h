#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warminit::exporter {

/// Where metrics are served: a numeric address and a TCP port.
struct Address {
  std::string host = "127.0.0.1";  ///< IPv4, or IPv6 without its brackets.
  std::uint16_t port = 0;

  bool operator==(const Address&) const = default;
};

/// The address that `text` says: "9400" and ":9400" are on the loopback, and so is
/// "localhost:9400"; else "10.0.0.1:9400", "0.0.0.0:9400", "[::]:9400". Names are not resolved.
/// Nothing for anything else.
std::optional<Address> parse_address(std::string_view text);

/// "127.0.0.1:9400", "[::1]:9400": as a URL has it.
std::string to_string(const Address& address);

}  // namespace warminit::exporter
