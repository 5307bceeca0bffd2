#pragma once

#include <optional>

#include "warminit/doctor/finding.h"
#include "warminit/doctor/machine.h"

namespace warminit::doctor {

/// What the checks look at: the container, and what its driver has said.
struct Seen {
  const Machine& machine;
  Answer driver;
  /// The same without CUDA_VISIBLE_DEVICES, where that is set and the driver could be asked again.
  std::optional<Answer> unhidden;

  /// The driver shows devices, if not with CUDA_VISIBLE_DEVICES, then without.
  [[nodiscard]] bool has_devices() const {
    return driver.shows_devices() || (unhidden && unhidden->shows_devices());
  }
};

/// Each looks at one part and changes nothing. In the order in which causes come before effects.
Findings check_presence(const Seen& seen);    ///< Whether the container was given GPUs at all.
Findings check_library(const Seen& seen);     ///< libcuda.so.1.
Findings check_nodes(const Seen& seen);       ///< /dev/nvidia*.
Findings check_driver(const Seen& seen);      ///< What the driver answers as a whole.
Findings check_visibility(const Seen& seen);  ///< CUDA_VISIBLE_DEVICES.
Findings check_devices(const Seen& seen);     ///< Each GPU.
Findings check_mps(const Seen& seen);         ///< The MPS server.
Findings check_jit_cache(const Seen& seen);   ///< Where compiled kernels are kept.
Findings check_variables(const Seen& seen);   ///< Other variables that CUDA reads.
Findings check_limits(const Seen& seen);      ///< What the container allows its processes.
Findings check_init(const Seen& seen);        ///< PID 1, and warminit's socket.

/// The driver's own words, for when none of the above has said why there is no GPU.
Findings check_unexplained(const Seen& seen);

// What several checks ask.

/// The container has no GPU of its own to begin with: check_presence() says why, and what is
/// missing besides is only the consequence.
bool is_without_gpus(const Seen& seen);

/// Paths of libcuda.so.1 in the folders that the loader searches, in its order, without its cache.
std::vector<std::string> libraries_searched(const Machine& machine);

/// A GPU's node: /dev/nvidia0, not /dev/nvidiactl. Paths, sorted.
std::vector<std::string> gpu_nodes(const Machine& machine);

/// The parts of `text` between separators; an empty text has none.
std::vector<std::string> split(const std::string& text, char separator);

/// "12 MiB", "1.5 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace warminit::doctor
