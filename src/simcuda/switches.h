#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rule.h"

/// The switches of the simulated driver: environment variables, read once, at the first call of
/// any function. An empty value is the same as none. A bad value is said once on stderr, and
/// cuInit then answers CUDA_ERROR_INVALID_VALUE.
///
// clang-format off
///     SIMCUDA_DEVICES=N             0 to 64, default 1; with 0 cuInit answers 100
///     SIMCUDA_INIT_MS=N             0 to 3600000, default 0: what cuInit takes
///     SIMCUDA_CONTEXT_MS=N          0 to 3600000, default 0: what creating a primary context
///                                   takes; devices do not wait for each other
///     SIMCUDA_MEMORY_MIB=N          1 to 16777216, default 143771: memory of each device
///     SIMCUDA_COMPUTE_MODE=M[,M…]   M is default, exclusive or prohibited; one per device, the
///                                   last is repeated
///     SIMCUDA_MIG=0|1               default 0; 1: one device, an instance with a UUID of its own
///     SIMCUDA_FAIL=RULE[,RULE…]     RULE is function:code[:device[:times]]
///     SIMCUDA_HANG=RULE[,RULE…]     RULE is function[:device[:times]]: the call never returns
///     SIMCUDA_HANG_AFTER_MS=N       0 to 3600000, default 0: SIMCUDA_HANG is not looked at before,
///                                   counted from the process's first call
///     SIMCUDA_CRASH=RULE[,RULE…]    RULE is function[:device[:times]]: the call dies of SIGSEGV
///     SIMCUDA_WRONG_RESULT=D[,D…]   devices on which the warm-up kernel's last value is wrong
///     SIMCUDA_STICKY_AFTER_MS=N     0 to 3600000: that long after cuInit every context call
///                                   answers 719
///     SIMCUDA_DRIVER_VERSION=N      1000 to 999999, default 13000
///     SIMCUDA_DEVICE_FILE=PATH      opened by cuInit and kept, as /dev/nvidia0 is
///     SIMCUDA_SHARED=PATH           processes with the same PATH share a host; see file_lock.h
// clang-format on
///
/// In a RULE `function` is a name of the table in cuda/driver.h without its version suffix
/// (cuDevicePrimaryCtxRelease; only cuDeviceGetUuid_v2 is a function of its own), `code` is 1 to
/// 9999, `device` is 0 to 63, or `*` or nothing for all, and `times` is 1 to 1000000: only the
/// first so many calls, of this process or, with SIMCUDA_SHARED, of all processes. Functions that
/// are about no device (cuInit…) match every `device`. Of several rules for a call the first that
/// is not used up counts.
///
/// Devices are numbered as if CUDA_VISIBLE_DEVICES was not set: a broken GPU stays the same one,
/// whatever ordinal a process sees it under.
namespace warminit::simcuda {

inline constexpr unsigned kMostDevices = 64;
inline constexpr std::size_t kMiB = std::size_t{1} << 20;

/// The values of the switches. Constant once read.
struct Switches {
  unsigned devices = 1;
  std::chrono::milliseconds init{0};
  std::chrono::milliseconds context{0};
  std::size_t memory_bytes = 143771 * kMiB;
  std::vector<int> compute_modes;  ///< CU_COMPUTEMODE_…; never empty once read.
  bool mig = false;
  std::vector<Rule> fail;
  std::vector<Rule> hang;
  std::chrono::milliseconds hang_after{0};
  std::vector<Rule> crash;
  std::vector<unsigned> wrong_result;
  std::optional<std::chrono::milliseconds> sticky_after;
  int driver_version = 13000;
  std::string device_file;  ///< Empty: none.
  std::string shared;       ///< Empty: this process is alone on its host.
  std::string problem;      ///< "SIMCUDA_DEVICES: 'abc' is not …"; empty if all are good.
};

/// Reads them from the environment of this process.
Switches read_switches();

}  // namespace warminit::simcuda
