#include "warminit/cli/paths.h"

#include <filesystem>

namespace warminit::cli {

std::string absolute_or_name(const std::string& file) {
  return file.find('/') == std::string::npos ? file : absolute(file);
}

std::string absolute(const std::string& file) {
  std::error_code ignored;  // A working directory that is gone: as it stands, then.
  const auto path = std::filesystem::absolute(file, ignored);
  return ignored ? file : path.string();
}

}  // namespace warminit::cli
