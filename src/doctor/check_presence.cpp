#include <fmt/core.h>

#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

constexpr const char* kModule = "/proc/driver/nvidia/version";

/// WSL and Jetson reach the GPU by other ways than the module and its nodes.
bool has_other_ways(const Machine& machine) {
  return machine.exists("/dev/dxg") || machine.exists("/dev/nvmap");
}

/// What the container runtime was told in NVIDIA_VISIBLE_DEVICES, if it amounts to no GPU. Under
/// CDI the runtime itself sets "void", with GPUs: it counts only where none is there.
bool asks_for_none(const Machine& machine) {
  const auto value = machine.variable("NVIDIA_VISIBLE_DEVICES");
  return value && (value->empty() || *value == "void" || *value == "none");
}

bool has_any_node(const Machine& machine) {
  return machine.exists("/dev/nvidiactl") || machine.exists("/dev/nvidia-uvm") ||
         !gpu_nodes(machine).empty();
}

bool may_look(const Seen& seen) {
  return seen.driver.ending == Answer::Ending::answered && !seen.driver.simulated &&
         !seen.has_devices() && !has_other_ways(seen.machine);
}

}  // namespace

bool is_without_gpus(const Seen& seen) { return !check_presence(seen).empty(); }

Findings check_presence(const Seen& seen) {
  const Machine& machine = seen.machine;
  if (!may_look(seen)) return {};
  if (!machine.exists(kModule))
    return {
        finding("no-kernel-module", fmt::format("{}: there is none", kModule),
                "the host's kernel has no NVIDIA module loaded, so no container on it has a GPU",
                "install the driver on the host, or load it there (modprobe nvidia; "
                "nvidia-smi on the host must work first)")};
  if (asks_for_none(machine))
    return {finding("visible-devices-void",
                    fmt::format("NVIDIA_VISIBLE_DEVICES='{}'",
                                machine.variable("NVIDIA_VISIBLE_DEVICES").value_or("")),
                    "the NVIDIA container runtime was told to give this container no GPU",
                    "start the container with NVIDIA_VISIBLE_DEVICES=all or a list of GPUs "
                    "(docker run --gpus all sets it)")};
  if (!has_any_node(machine) && libraries_searched(machine).empty())
    return {finding("no-gpus-given", "neither /dev/nvidia* nor libcuda.so.1 is in this container",
                    "the host has the kernel module, but the container was started without GPUs",
                    "docker run --gpus all, podman run --device nvidia.com/gpu=all, or "
                    "nvidia.com/gpu in the pod's resource limits")};
  return {};
}

}  // namespace warminit::doctor
