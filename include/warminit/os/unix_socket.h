#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "warminit/os/fd.h"

namespace warminit::os {

/// Who is at the other end of a Unix socket, as the kernel vouches for it (SO_PEERCRED).
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  std::vector<gid_t> groups;  ///< Its own first.
};

/// A listening stream socket at `path`, which only its owner may connect to, or `group` as well.
///
/// A socket that is there and at which nobody listens is replaced; one that is served is not.
/// Throws std::system_error (EADDRINUSE for the latter, ENAMETOOLONG beyond 107 bytes).
Fd listen_at(const std::string& path, std::optional<gid_t> group);

/// A stream socket connected to `path`. Throws std::system_error.
Fd connect_to(const std::string& path);

/// The peer of a connected socket; nothing if the kernel will not say.
std::optional<Peer> peer_of(int fd);

}  // namespace warminit::os
