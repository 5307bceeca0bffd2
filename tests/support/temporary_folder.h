#pragma once

#include <sys/types.h>

#include <string>

namespace warminit::test {

/// A folder for the files of one test, removed with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file into it and returns its path.
  std::string add(const std::string& name, const std::string& content, mode_t mode = 0644) const;

 private:
  std::string path_;
};

}  // namespace warminit::test
