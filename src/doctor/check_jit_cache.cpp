#include <fmt/core.h>

#include <charconv>
#include <cstring>
#include <filesystem>

#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace fs = std::filesystem;
namespace {

// Source: CUDA C++ Programming Guide 13.0, "CUDA Environment Variables": 1 GiB where it is unset
// on a desktop or server, 256 MiB on an embedded platform.
constexpr std::uint64_t kDefaultSize = std::uint64_t{1} << 30;
constexpr std::uint64_t kSmall = std::uint64_t{256} << 20;
constexpr std::uint64_t kFullPercent = 95;
constexpr int kMostFiles = 100'000;

constexpr const char* kConsequence =
    "kernels that come as PTX are compiled in each process anew: 13 to 76 ms for a small one, "
    "minutes for a framework's";

std::uint64_t most_bytes(const Machine& machine) {
  const std::string text = machine.variable("CUDA_CACHE_MAXSIZE").value_or("");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? bytes : kDefaultSize;
}

/// The folder itself, or the nearest above that there is: where it would be made.
std::string nearest(const Machine& machine, fs::path folder) {
  while (!machine.exists(folder.string()) && folder.has_relative_path())
    folder = folder.parent_path();
  return folder.string();
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  int files = 0;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end && files < kMostFiles; it.increment(error), ++files) {
    std::error_code ignored;  // Another process may take it away meanwhile.
    if (!it->is_regular_file(ignored)) continue;
    const std::uintmax_t size = it->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

}  // namespace

Findings check_jit_cache(const Seen& seen) {
  const Machine& machine = seen.machine;
  const auto disabled = machine.variable("CUDA_CACHE_DISABLE");
  if (disabled && !disabled->empty() && *disabled != "0")
    return {finding("jit-cache-disabled", fmt::format("CUDA_CACHE_DISABLE='{}'", *disabled),
                    kConsequence, "unset CUDA_CACHE_DISABLE")};
  std::string folder = machine.variable("CUDA_CACHE_PATH").value_or("");
  if (folder.empty()) {
    const std::string home = machine.variable("HOME").value_or("");
    if (home.empty())
      return {finding("jit-cache-no-home", "neither HOME nor CUDA_CACHE_PATH is set",
                      std::string("the driver has no place for its cache: ") + kConsequence,
                      "set HOME, or CUDA_CACHE_PATH to a folder on a volume that outlives the "
                      "container")};
    folder = home + "/.nv/ComputeCache";
  }
  const std::string place = nearest(machine, folder);
  if (const int error = machine.write_into(machine.at(place)); error != 0)
    return {
        finding("jit-cache-unwritable", fmt::format("{}: {}", place, std::strerror(error)),
                fmt::format("the driver keeps compiled kernels in {}: {}", folder, kConsequence),
                "set CUDA_CACHE_PATH to a folder that this user may write")};

  const std::uint64_t most = most_bytes(machine);
  const std::uint64_t used = bytes_in(machine.at(folder));
  if (used > most / 100 * kFullPercent)
    return {finding("jit-cache-full",
                    fmt::format("{} holds {} of {}", folder, size_text(used), size_text(most)),
                    std::string("the oldest kernels are thrown out for new ones: ") + kConsequence,
                    "raise CUDA_CACHE_MAXSIZE (bytes, at most 4294967296), or empty the folder")};
  if (most < kSmall)
    return {finding(
        "jit-cache-small",
        fmt::format("CUDA_CACHE_MAXSIZE='{}'", machine.variable("CUDA_CACHE_MAXSIZE").value_or("")),
        std::string("the kernels of a framework do not fit in: ") + kConsequence,
        "unset it (1 GiB), or raise it to at least 268435456")};
  return {};
}

}  // namespace warminit::doctor
