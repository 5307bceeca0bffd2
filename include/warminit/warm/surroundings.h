#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warminit::warm {

/// What this container shows about its GPUs without the driver; for explanations only.

/// "/dev/nvidia0: Operation not permitted" for each device node of the driver that cannot be
/// opened, and for each of the two that must be there and is not. Opens and closes each once.
std::vector<std::string> device_node_problems();

/// "CUDA_VISIBLE_DEVICES='-1'" for each set variable that can hide devices.
std::vector<std::string> hiding_variables();

/// Whether a variable leads this process to an MPS server.
bool uses_mps();

/// The variables that uses_mps() means.
const std::vector<std::string>& mps_variables();

/// The number in /dev/nvidiaN of the GPU at `pci_bus_id` ("0000:1b:00.0"), from
/// /proc/driver/nvidia/gpus; nothing where that does not say.
std::optional<int> device_minor(const std::string& pci_bus_id);

/// The first word of `text` that looks like a version ("580.65.06"); else "unknown".
std::string version_in(const std::string& text);

/// Version of the loaded kernel module, from /proc/driver/nvidia/version; "unknown" without it.
std::string kernel_module_version();

/// Version in the name of the file behind `library` ("…/libcuda.so.580.159.04"); else "unknown".
std::string library_version(const std::string& library);

/// "a, b"; `otherwise` where there are none.
std::string join(const std::vector<std::string>& parts, const std::string& otherwise);

}  // namespace warminit::warm
