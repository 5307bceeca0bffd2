#include "warminit/doctor/machine.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "warminit/os/fd.h"

namespace warminit::doctor {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 65536;
constexpr std::size_t kMostNames = 4096;

int open_device(const std::string& path) {
  return os::Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)) ? 0 : errno;
}

int write_into(const std::string& folder) {
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  path.copy(address.sun_path, path.size());
  // Non-blocking: a server that does not take connections any more is not waited for.
  const os::Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!client) return errno;
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(client.get(), generic, sizeof address) == 0 ? 0 : errno;
}

std::optional<std::uint64_t> capacity_of(const std::string& path) {
  struct statvfs found {};
  if (::statvfs(path.c_str(), &found) != 0) return std::nullopt;
  return std::uint64_t{found.f_frsize} * found.f_blocks;
}

}  // namespace

bool Machine::exists(const std::string& path) const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(at(path), ignored));
}

std::optional<std::string> Machine::read(const std::string& path) const {
  const os::Fd file(::open(at(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::string text(kMostBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {  // A file of /proc may come in parts.
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  text.resize(size);
  return text;
}

std::vector<std::string> Machine::names_in(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(at(folder), error), end;
       !error && it != end && names.size() < kMostNames; it.increment(error))
    names.push_back(it->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::optional<std::string> Machine::variable(const std::string& name) const {
  const auto it = environment.find(name);
  return it == environment.end() ? std::nullopt : std::optional(it->second);
}

Machine machine_at(const std::string& root) {
  Machine machine;
  machine.root = root;
  machine.open_device = open_device;
  machine.write_into = write_into;
  machine.connect = connect_to;
  machine.capacity = capacity_of;
  return machine;
}

Machine this_machine() {
  Machine machine = machine_at("");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      machine.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return machine;
}

}  // namespace warminit::doctor
