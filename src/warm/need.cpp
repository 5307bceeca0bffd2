#include "warminit/warm/need.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "warminit/os/descriptors.h"
#include "warminit/os/number.h"

namespace warminit::warm {
namespace {

namespace fs = std::filesystem;

/// Whether a descriptor in `folder` (/proc/PID/fd) leads to one of `files`.
bool has_open(const fs::path& folder, const std::set<std::string>& files) {
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end;
       it.increment(ignored))
    if (files.contains(os::path_behind(it->path().string()))) return true;
  return false;
}

}  // namespace

Need::Need(const std::vector<std::string>& files, std::chrono::milliseconds patience)
    : files_(files.begin(), files.end()), patience_(patience) {}

std::chrono::milliseconds Need::interval() const {
  using std::chrono::milliseconds;
  return std::clamp(patience_ / 4, milliseconds(1), milliseconds(10000));
}

bool Need::is_over() {
  if (files_.empty()) return false;
  idle_ = is_in_use() ? std::chrono::milliseconds(0) : idle_ + interval();
  return idle_ >= patience_;
}

bool Need::is_in_use() const {
  std::error_code ignored;
  for (fs::directory_iterator it("/proc", ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    const auto pid = os::to_number(it->path().filename().string());
    if (pid && *pid != ::getpid() && has_open(it->path() / "fd", files_)) return true;
  }
  return false;
}

}  // namespace warminit::warm
