#include <fmt/core.h>

#include "warminit/doctor/checks.h"
#include "warminit/os/number.h"

namespace warminit::doctor {
namespace {

/// What the driver uses where the variable is unset; more makes every context dearer.
constexpr int kUsualConnections = 8;

}  // namespace

Findings check_variables(const Seen& seen) {
  const Machine& machine = seen.machine;
  Findings findings;
  if (machine.variable("CUDA_MODULE_LOADING") == "EAGER")
    findings.push_back(finding("eager-loading", "CUDA_MODULE_LOADING='EAGER'",
                               "every kernel of every library is loaded at the start: PyTorch's "
                               "first call took 1.5 to 2.3 s on an H200 instead of 0.2 s",
                               "unset it; LAZY is the default since CUDA 12"));
  const auto blocking = machine.variable("CUDA_LAUNCH_BLOCKING");
  if (blocking && !blocking->empty() && *blocking != "0")
    findings.push_back(finding("launch-blocking",
                               fmt::format("CUDA_LAUNCH_BLOCKING='{}'", *blocking),
                               "every launch waits for its kernel: meant for debugging, and slow",
                               "unset CUDA_LAUNCH_BLOCKING"));
  if (const auto text = machine.variable("CUDA_DEVICE_MAX_CONNECTIONS"); text && !text->empty()) {
    const int connections = os::to_number(*text).value_or(0);
    if (connections < 1 || connections > kUsualConnections)
      findings.push_back(
          finding("device-connections", fmt::format("CUDA_DEVICE_MAX_CONNECTIONS='{}'", *text),
                  connections < 1 ? "it is no number from 1 to 32"
                                  : "each connection makes a context dearer: on an H200 one took "
                                    "97 ms with it unset, 137 with 8 and 490 with 32",
                  "unset it, or take a number from 1 to 8; 1 makes the context cheapest (48 ms), "
                  "where one queue to the GPU is enough"));
  }
  return findings;
}

}  // namespace warminit::doctor
