#include "warminit/exporter/address.h"

#include <arpa/inet.h>

#include <array>
#include <limits>

#include "warminit/os/number.h"

namespace warminit::exporter {
namespace {

bool is_address(int family, const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return ::inet_pton(family, host.c_str(), ignored.data()) == 1;
}

/// An IPv6 address needs its brackets: in "::1:9400" nobody can tell the port.
std::optional<std::string> parse_host(std::string_view text) {
  if (text.empty() || text == "localhost") return Address().host;
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  const std::string host(bracketed ? text.substr(1, text.size() - 2) : text);
  // inet_pton would stop at a zero byte.
  if (host.find('\0') != std::string::npos) return std::nullopt;
  if (!is_address(bracketed ? AF_INET6 : AF_INET, host)) return std::nullopt;
  return host;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool only_port = colon == std::string_view::npos;
  const auto host = parse_host(only_port ? "" : text.substr(0, colon));
  const auto port = os::to_number(only_port ? text : text.substr(colon + 1));
  if (!host || !port || *port < 1 || *port > std::numeric_limits<std::uint16_t>::max())
    return std::nullopt;
  return Address{*host, static_cast<std::uint16_t>(*port)};
}

std::string to_string(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace warminit::exporter
