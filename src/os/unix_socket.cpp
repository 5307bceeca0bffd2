#include "warminit/os/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

namespace warminit::os {
namespace {

/// More may wait to be accepted than are served at once. The kernel cuts it to its own limit.
constexpr int kBacklog = 4096;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::system_error(ENAMETOOLONG, std::generic_category(), "'" + path + "'");
  std::ranges::copy(path, address.sun_path);
  return address;
}

Fd make_socket() { return Fd(check(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")); }

int try_connect(int fd, const sockaddr_un& address) {
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int try_bind(int fd, const sockaddr_un& address) {
  const mode_t before = ::umask(0177);  // From its first instant on it is nobody else's.
  const int result = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  return result;
}

/// Whether a socket is left at `path` from somebody who has ended.
bool is_abandoned(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe && try_connect(probe.get(), address) != 0 && errno == ECONNREFUSED;
}

}  // namespace

Fd listen_at(const std::string& path, std::optional<gid_t> group) {
  const sockaddr_un address = address_of(path);
  Fd fd(check(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
  int result = try_bind(fd.get(), address);
  if (result != 0 && errno == EADDRINUSE && is_abandoned(path, address)) {
    (void)::unlink(path.c_str());
    result = try_bind(fd.get(), address);
  }
  check(result, "bind");
  try {
    if (group) {
      check(::chown(path.c_str(), static_cast<uid_t>(-1), *group), "chown");
      check(::chmod(path.c_str(), 0660), "chmod");
    }
    check(::listen(fd.get(), kBacklog), "listen");
  } catch (const std::system_error&) {
    (void)::unlink(path.c_str());  // Nobody will ever listen there.
    throw;
  }
  return fd;
}

Fd connect_to(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Fd fd = make_socket();
  check(try_connect(fd.get(), address), "connect");
  return fd;
}

std::optional<Peer> peer_of(int fd) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  Peer peer{credentials.pid, credentials.uid, {credentials.gid}};
  std::vector<gid_t> more(64);
  size = static_cast<socklen_t>(more.size() * sizeof(gid_t));
  int result = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, more.data(), &size);  // Linux 4.13.
  if (result != 0 && errno == ERANGE) {  // Then it has said how much it needs.
    more.resize(size / sizeof(gid_t));
    result = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, more.data(), &size);
  }
  if (result == 0)
    peer.groups.insert(peer.groups.end(), more.begin(),
                       more.begin() + static_cast<std::ptrdiff_t>(size / sizeof(gid_t)));
  return peer;
}

}  // namespace warminit::os
