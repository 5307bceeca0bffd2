#include "support/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "warminit/os/fd.h"

namespace warminit::test {

TemporaryFolder::TemporaryFolder() : path_(::testing::TempDir() + "warminit-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) os::check(-1, "mkdtemp");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::add(const std::string& name, const std::string& content,
                                 mode_t mode) const {
  const std::string path = path_ + "/" + name;
  const os::Fd file(
      os::check(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), "open"));
  EXPECT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  os::check(::fchmod(file.get(), mode), "fchmod");
  return path;
}

}  // namespace warminit::test
