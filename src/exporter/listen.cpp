#include "warminit/exporter/listen.h"

#include <arpa/inet.h>
#include <sys/socket.h>

namespace warminit::exporter {
namespace {

/// More than may be connected at once wait here for a moment only.
constexpr int kBacklog = 64;

int bind_to(int fd, const Address& address) {
  if (address.host.find(':') != std::string::npos) {
    sockaddr_in6 name{};
    name.sin6_family = AF_INET6;
    name.sin6_port = htons(address.port);
    ::inet_pton(AF_INET6, address.host.c_str(), &name.sin6_addr);
    return ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  }
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(address.port);
  ::inet_pton(AF_INET, address.host.c_str(), &name.sin_addr);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name);
}

}  // namespace

os::Fd listen_on(const Address& address) {
  const std::string what = "listening on " + to_string(address);
  const int family = address.host.find(':') != std::string::npos ? AF_INET6 : AF_INET;
  os::Fd fd(os::check(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), what.c_str()));
  // An exporter that is started again must not wait for the connections of the one before.
  const int yes = 1;
  os::check(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), what.c_str());
  os::check(bind_to(fd.get(), address), what.c_str());
  os::check(::listen(fd.get(), kBacklog), what.c_str());
  return fd;
}

}  // namespace warminit::exporter
