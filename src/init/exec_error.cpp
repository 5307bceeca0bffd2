#include "warminit/init/exec_error.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "warminit/os/fd.h"

namespace warminit::init {
namespace {

bool is_folder(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// " '/bin/bash'": what the first line of a script names; empty for a binary, whose loader is
/// absent.
std::string interpreter_of(const std::string& file) {
  std::array<char, 256> start{};
  const os::Fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t n = opened ? ::read(opened.get(), start.data(), start.size()) : -1;
  std::string_view line(start.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  if (!line.starts_with("#!")) return "";
  line = line.substr(2, line.find('\n') - 2);
  return fmt::format(" '{}'", line);
}

}  // namespace

bool means_not_found(int error) { return error == ENOENT || error == ENOTDIR; }

std::string explain(const std::system_error& error) {
  std::string text = error.what();
  if (error.code().value() == EAGAIN)
    text += "; raise the limit of processes (pids.max of the container, ulimit -u)";
  if (error.code().value() == EMFILE || error.code().value() == ENFILE)
    text += "; raise the limit of open files (ulimit -n)";
  return text;
}

std::string explain_exec_error(const std::string& name, const std::string& file, int error) {
  const bool searched = name.find('/') == std::string::npos;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      if (name.empty()) return "the command is an empty string";
      if (::access(file.c_str(), F_OK) == 0)
        return fmt::format("'{}': its interpreter{} is not in this image", file,
                           interpreter_of(file));
      return searched ? fmt::format("'{}': not found in PATH", name)
                      : fmt::format("'{}': not found", file);
    case EACCES:
      if (is_folder(file)) return fmt::format("'{}': a directory; name the program in it", file);
      return fmt::format("'{}': not executable; chmod +x it, or start it with its interpreter",
                         file);
    case ENOEXEC:
      return fmt::format("'{}': built for another machine than this one", file);
    case EMFILE:
    case ENFILE:
      return fmt::format("'{}': {}; raise the limit (ulimit -n)", file, std::strerror(error));
    default:
      return fmt::format("'{}': {}", file, std::strerror(error));
  }
}

}  // namespace warminit::init
