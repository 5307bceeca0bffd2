#include <fmt/core.h>

#include "warminit/cuda/abi.h"
#include "warminit/doctor/checks.h"
#include "warminit/os/signals.h"
#include "warminit/warm/surroundings.h"

namespace warminit::doctor {
namespace {

using namespace cuda::abi;  // The codes, by the names of cuda.h.
using Ending = Answer::Ending;

/// Measured: 0.2 s at most with persistence mode, several seconds without.
constexpr double kSlowInit = 0.5;

Finding explain_ending(const Answer& driver) {
  if (driver.ending == Ending::late)
    return finding("driver-hangs", driver.failure,
                   "the driver does not come back: a GPU that has failed, a host that is still "
                   "starting, or a file system that does not answer",
                   "see the host's kernel log for an Xid or a hung task; nvidia-smi on the host "
                   "hangs too if it is the GPU; --init-timeout changes the limit");
  if (driver.ending == Ending::died)
    return finding("driver-crashes",
                   fmt::format("a process that asked the driver was ended by {}",
                               os::signal_name(driver.signal)),
                   "the driver crashed, or the container's memory limit was reached",
                   "check that the library belongs to the host's kernel module, and the "
                   "container's memory limit (dmesg, memory.events)");
  return finding(
      "driver-not-asked", driver.failure,
      "the process that was to ask the driver could not be started or gave no answer, so "
      "nothing is known about it",
      "check the limit of processes (pids.max, ulimit -u) and the free memory, and try "
      "again");
}

std::string mismatch(const Seen& seen, std::string& library, std::string& module) {
  library = warm::library_version(seen.machine.at(seen.driver.library));
  module = warm::version_in(seen.machine.read("/proc/driver/nvidia/version").value_or(""));
  return fmt::format("{} is version {}, the kernel module {}", seen.driver.library, library,
                     module);
}

Findings check_versions(const Seen& seen) {
  std::string library;
  std::string module;
  std::string what = mismatch(seen, library, module);
  if (seen.driver.problem) what = seen.driver.problem->reason + "; " + what;
  if (seen.driver.says(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE))
    return {
        finding("compat-not-supported", what,
                "a compatibility library (cuda-compat) is in use, and this GPU does not allow it",
                "take the compat folder out of LD_LIBRARY_PATH, or use an image of a CUDA "
                "version that the host's driver knows")};
  const bool differ = library != "unknown" && module != "unknown" && library != module;
  if (seen.driver.says(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) || (differ && !seen.has_devices()))
    return {finding("version-mismatch", what,
                    "both must be of the same release: the host's driver was upgraded while the "
                    "container ran, or a libcuda is part of the image",
                    "start the container anew so that the runtime mounts the library that fits; "
                    "reload the module on the host (or restart it) after an upgrade")};
  return {};
}

}  // namespace

Findings check_driver(const Seen& seen) {
  const Answer& driver = seen.driver;
  if (driver.ending != Ending::answered) return {explain_ending(driver)};
  Findings findings = check_versions(seen);
  if (driver.says(CUDA_ERROR_SYSTEM_NOT_READY))
    findings.push_back(finding("fabric-manager", driver.problem->reason,
                               "the GPUs of this host are joined by NVSwitch, and "
                               "nvidia-fabricmanager has not set that up yet",
                               driver.problem->remedy));
  if (driver.simulated)
    findings.push_back(
        finding("simulated-driver", driver.library,
                "this is warminit's simulated driver: its GPUs and figures are made "
                "up",
                "for real GPUs leave --driver-library (WARMINIT_DRIVER_LIBRARY) unset"));
  if (driver.init_seconds > kSlowInit)
    findings.push_back(
        finding("slow-init", fmt::format("cuInit took {:.1f} s", driver.init_seconds),
                "nobody keeps the GPUs initialised: persistence mode is off, or the host is busy",
                "nvidia-smi -pm 1 or nvidia-persistenced on the host; and warminit as the "
                "entrypoint keeps cuInit short for everybody"));
  return findings;
}

Findings check_unexplained(const Seen& seen) {
  const Answer& driver = seen.driver;
  if (driver.ending != Ending::answered || driver.shows_devices()) return {};
  if (!driver.problem)
    return {finding("driver-error", "the driver shows no GPU, and no error",
                    "nothing here explains it", "run nvidia-smi here and on the host")};
  return {finding("driver-error", driver.problem->reason, "the driver does not start",
                  driver.problem->remedy)};
}

}  // namespace warminit::doctor
