#include "warminit/init/exec_error.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warminit::init {
namespace {

bool is_folder(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
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
      if (searched && ::access(file.c_str(), F_OK) != 0)
        return fmt::format("'{}': not found in PATH", name);
      return fmt::format("'{}': not found, or the interpreter that it names is not in this image",
                         file);
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
