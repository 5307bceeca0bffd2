#include <fmt/core.h>

#include <algorithm>

#include "warminit/cuda/abi.h"
#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

/// What a context of a small CUDA program takes, measured on an H200: 527 MiB.
constexpr std::uint64_t kContextBytes = std::uint64_t{527} << 20;
constexpr std::uint64_t kFullPercent = 95;

std::string name_of(const DeviceAnswer& device) {
  return fmt::format("GPU {} ({})", device.ordinal, device.uuid);
}

void check_mode(const DeviceAnswer& device, Findings& findings) {
  const std::string what = fmt::format("{}: compute mode {}", name_of(device), device.compute_mode);
  if (device.compute_mode == "Prohibited")
    findings.push_back(finding("compute-prohibited", what, "no process may make a context on it",
                               "nvidia-smi -c DEFAULT on the host"));
  else if (device.compute_mode == "Exclusive_Process")
    findings.push_back(finding("compute-exclusive", what,
                               "one process at a time may use it, on the whole host; a second one "
                               "fails, and warminit leaves it to the command",
                               "nvidia-smi -c DEFAULT on the host, unless MPS needs that mode"));
}

void check_memory(const DeviceAnswer& device, Findings& findings) {
  if (!device.free_bytes) return;
  const bool full = *device.free_bytes < kContextBytes ||
                    *device.free_bytes < device.memory_bytes / 100 * (100 - kFullPercent);
  if (full)
    findings.push_back(
        finding("gpu-memory-full",
                fmt::format("{}: {} of {} are free", name_of(device), size_text(*device.free_bytes),
                            size_text(device.memory_bytes)),
                "other processes hold the rest; a context alone takes about 527 MiB",
                "nvidia-smi shows who: end what is not needed"));
}

Findings check_states(const Seen& seen) {
  Findings findings;
  for (const GpuState& gpu : seen.driver.gpus) {
    if (gpu.mig && gpu.instances == 0)
      findings.push_back(finding("mig-without-instance", gpu.uuid + ": MIG mode is on",
                                 "it is cut into no MIG device that this container has, and as a "
                                 "whole it cannot be used",
                                 "nvidia-smi mig -cgi … -C on the host makes some, nvidia-smi -mig "
                                 "0 turns the mode off; then give one to the container"));
    if (gpu.persistence == false)
      findings.push_back(finding("persistence-off", gpu.uuid + ": persistence mode is off",
                                 "without a user the GPU is shut down, and the next cuInit starts "
                                 "it again, which takes seconds",
                                 "nvidia-persistenced or nvidia-smi -pm 1 on the host; or warminit "
                                 "as the entrypoint, which is a user as long as it runs"));
  }
  return findings;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  const auto mib = static_cast<double>(bytes) / (1U << 20U);
  return mib < 1024 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

Findings check_devices(const Seen& seen) {
  Findings findings = check_states(seen);
  for (const DeviceAnswer& device : seen.driver.devices) {
    check_mode(device, findings);
    check_memory(device, findings);
    if (device.problem)
      findings.push_back(finding("gpu-fails",
                                 fmt::format("{}: {}", name_of(device), device.problem->reason),
                                 "it is visible, and cannot be used", device.problem->remedy));
  }
  return findings;
}

Findings check_mps(const Seen& seen) {
  const auto folder = seen.machine.variable("CUDA_MPS_PIPE_DIRECTORY");
  const auto shown = folder ? fmt::format("; CUDA_MPS_PIPE_DIRECTORY='{}'", *folder) : "";
  const auto& problem = seen.driver.problem;
  if (problem && problem->code >= cuda::abi::CUDA_ERROR_MPS_CONNECTION_FAILED &&
      problem->code <= cuda::abi::CUDA_ERROR_MPS_CLIENT_TERMINATED)
    return {finding("mps-unreachable", problem->reason + shown,
                    "programs are led to an MPS server that does not serve them", problem->remedy)};
  if (folder && !folder->empty() && !seen.machine.exists(*folder + "/control"))
    return {finding("mps-no-server",
                    fmt::format("CUDA_MPS_PIPE_DIRECTORY='{0}', and no {0}/control", *folder),
                    "the variables ask for MPS, and no control daemon serves there: programs run "
                    "without it, or fail",
                    "start nvidia-cuda-mps-control on the host and mount its pipe directory, or "
                    "unset the variable")};
  return {};
}

}  // namespace warminit::doctor
