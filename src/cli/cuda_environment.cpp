#include "warminit/cli/cuda_environment.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "warminit/init/log_event.h"
#include "warminit/warm/surroundings.h"

namespace warminit::cli {
namespace {

using init::log_event;
namespace level = spdlog::level;

constexpr const char* kModuleLoading = "CUDA_MODULE_LOADING";

/// The most that the driver takes. Source: CUDA Programming Guide, "CUDA Environment Variables".
constexpr const char* kMostCacheBytes = "4294967296";

constexpr int kFirstThatCanBeLazy = 515;
constexpr int kFirstThatIsLazy = 535;

/// Why no kernel can be kept in `folder`; empty where one can.
std::string obstacle(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return error.message();
  return ::access(folder.c_str(), R_OK | W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace

bool loads_eagerly(const std::string& module_version) {
  int major = 0;
  std::from_chars(module_version.data(), module_version.data() + module_version.size(), major);
  return major >= kFirstThatCanBeLazy && major < kFirstThatIsLazy;
}

void share_jit_cache(const std::string& folder) {
  if (const std::string why = obstacle(folder); !why.empty())
    return log_event(
        level::warn, "cache",
        "--jit-cache '{}', ignoring: {}; kernels that come as PTX are compiled anew in "
        "each container",
        folder, why);
  if (const char* disabled = std::getenv("CUDA_CACHE_DISABLE");
      disabled != nullptr && *disabled != '\0' && std::strcmp(disabled, "0") != 0)
    log_event(level::warn, "cache", "CUDA_CACHE_DISABLE='{}' turns the cache in '{}' off: unset it",
              disabled, folder);
  (void)::setenv("CUDA_CACHE_PATH", folder.c_str(), 1);
  (void)::setenv("CUDA_CACHE_MAXSIZE", kMostCacheBytes, 0);
}

std::map<std::string, std::string> cuda_environment() {
  if (std::getenv(kModuleLoading) != nullptr) return {};
  const std::string version = warm::kernel_module_version();
  if (!loads_eagerly(version)) return {};
  log_event(level::info, "environment",
            "driver {} loads all of a library's kernels at once: the command gets {}=LAZY", version,
            kModuleLoading);
  return {{kModuleLoading, "LAZY"}};
}

}  // namespace warminit::cli
