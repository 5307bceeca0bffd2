#include "warminit/os/process_tree.h"

#include <dirent.h>
#include <fcntl.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "warminit/os/fd.h"
#include "warminit/os/number.h"

namespace warminit::os {
namespace {

/// The beginning of a file of `pid` in /proc; empty where it is gone.
std::string read_of(pid_t pid, const char* name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return "";
  std::array<char, 512> buffer{};
  const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
  return {buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

/// The parent of `pid`, unless it is a zombie or gone.
std::optional<pid_t> parent_of(pid_t pid) {
  const std::string stat = read_of(pid, "stat");
  const std::string_view text(stat);
  // "PID (COMM) STATE PPID …"; COMM may hold anything, so what follows starts at the last ')'.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= text.size()) return std::nullopt;
  const char state = text[name_end + 2];
  if (state == 'Z' || state == 'X') return std::nullopt;
  const std::string_view rest = text.substr(name_end + 4);
  return to_number(rest.substr(0, rest.find(' ')));
}

std::optional<std::multimap<pid_t, pid_t>> children_by_parent() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder || ::access("/proc/self/stat", R_OK) != 0) return std::nullopt;
  std::multimap<pid_t, pid_t> children;
  while (const dirent* entry = ::readdir(folder.get())) {
    const auto pid = to_number(entry->d_name);
    if (!pid) continue;
    if (const auto parent = parent_of(*pid)) children.emplace(*parent, *pid);
  }
  return children;
}

}  // namespace

std::optional<std::vector<pid_t>> descendants(pid_t ancestor) {
  const auto children = children_by_parent();
  if (!children) return std::nullopt;
  std::vector<pid_t> found;
  std::vector<pid_t> open{ancestor};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [begin, end] = children->equal_range(parent);
    for (auto it = begin; it != end; ++it) {
      found.push_back(it->second);
      open.push_back(it->second);
    }
  }
  return found;
}

std::string process_name(pid_t pid) {
  std::string name = read_of(pid, "comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name.empty() ? "?" : name;
}

}  // namespace warminit::os
