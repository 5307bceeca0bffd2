#pragma once

#include <map>
#include <string>

namespace warminit::cli {

/// Whether the driver of this kernel module loads whole modules at once unless told otherwise, and
/// can do better: CUDA 11.7 (515) brought lazy loading, 12.2 (535) made it the default on Linux.
/// Source: CUDA Programming Guide, "Lazy Loading", change history.
bool loads_eagerly(const std::string& module_version);

/// Makes `folder` where it is missing, and leads the JIT cache of this process and of all that it
/// starts there. What is in the way is logged, and the environment then left as it was.
void share_jit_cache(const std::string& folder);

/// What the command's environment gets on top of ours, for CUDA.
std::map<std::string, std::string> cuda_environment();

}  // namespace warminit::cli
