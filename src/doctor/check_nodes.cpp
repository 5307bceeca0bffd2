#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

constexpr const char* kPass =
    "pass the devices into the container (docker run --gpus all), and check that nothing narrows "
    "/dev afterwards";

Finding explain_missing(const Machine& machine, const std::string& node) {
  const std::string what = node + ": " + std::strerror(ENOENT);
  if (node == "/dev/nvidiactl")
    return finding("no-control-node", what, "the driver talks to the kernel module through it",
                   kPass);
  if (node == "/dev/nvidia-uvm")
    return finding("no-uvm-node", what, "CUDA needs it for memory: cuInit fails without it",
                   machine.exists("/proc/driver/nvidia-uvm")
                       ? kPass
                       : "load the module on the host (nvidia-modprobe -u -c 0), and start the "
                         "container again");
  return finding("no-gpu-node", "/dev/nvidia0, /dev/nvidia1 …: there is none",
                 "the container was given no GPU, only the driver", kPass);
}

Finding explain_refused(const Seen& seen, const std::string& node, int error) {
  const std::string what = node + ": " + std::strerror(error);
  if (seen.has_devices())
    return finding("gpu-not-given", what,
                   "the node is here, but the GPU is not this container's; others work",
                   "nothing, if that GPU is meant for somebody else");
  if (error == EPERM)
    return finding("node-forbidden", what,
                   "the container's device cgroup forbids it; after 'systemctl daemon-reload' on "
                   "the host that happens to running containers too",
                   "start the container anew with the GPUs given by the runtime (docker run "
                   "--gpus all, --device), not by a bind mount of /dev");
  if (error == EACCES)
    return finding("node-denied", what, "the node's mode, or a security profile, refuses this user",
                   "run as a user or group that owns it (ls -l /dev/nvidia*), or let the host give "
                   "it mode 0666 (NVreg_DeviceFileMode=0666); under SELinux use "
                   "container_use_devices");
  return finding("node-dead", what, "the node is there, and nothing behind it answers",
                 "see the host's kernel log: the module is not loaded for it, or the GPU has "
                 "fallen off the bus");
}

}  // namespace

std::vector<std::string> gpu_nodes(const Machine& machine) {
  constexpr std::string_view kPrefix = "nvidia";
  std::vector<std::string> nodes;
  for (const std::string& name : machine.names_in("/dev"))
    if (name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
        std::all_of(name.begin() + kPrefix.size(), name.end(),
                    [](unsigned char c) { return std::isdigit(c) != 0; }))
      nodes.push_back("/dev/" + name);
  return nodes;
}

Findings check_nodes(const Seen& seen) {
  const Machine& machine = seen.machine;
  // What answers without the nodes does not need them; and without GPUs they cannot be there.
  if (seen.driver.ending != Answer::Ending::answered || seen.driver.simulated ||
      is_without_gpus(seen) || machine.exists("/dev/dxg") || machine.exists("/dev/nvmap"))
    return {};
  std::vector<std::string> nodes = gpu_nodes(machine);
  if (nodes.empty()) nodes.emplace_back("/dev/nvidia0");
  nodes.insert(nodes.begin(), {"/dev/nvidiactl", "/dev/nvidia-uvm"});

  Findings findings;
  for (const std::string& node : nodes) {
    const int error = machine.open_device(machine.at(node));
    if (error == ENOENT && !seen.has_devices())
      findings.push_back(explain_missing(machine, node));
    else if (error != 0 && error != ENOENT)
      findings.push_back(explain_refused(seen, node, error));
  }
  return findings;
}

}  // namespace warminit::doctor
