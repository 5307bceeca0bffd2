#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warminit/warm/report.h"

namespace warminit::doctor {

/// What a fresh process shall find out about the driver.
struct Question {
  std::vector<std::string> without;  ///< Variables that it takes out of its environment first.
  bool list_only = false;            ///< Devices are listed, and not used.
};

/// One device as the driver shows it.
struct DeviceAnswer {
  int ordinal = 0;
  std::string uuid;
  std::string compute_mode;  ///< The words of nvidia-smi: "Default", "Prohibited", …
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> free_bytes;  ///< Where a context could be made.
  std::optional<warm::Problem> problem;     ///< It could not be used.
};

/// One GPU as NVML shows it; NVML also knows those that CUDA does not show.
struct GpuState {
  std::string uuid;
  std::optional<bool> persistence;
  bool mig = false;   ///< MIG mode is on.
  int instances = 0;  ///< MIG devices that this container has.
};

/// What the process found, or how it ended without.
struct Answer {
  enum class Ending {
    answered,
    late,    ///< It was still busy after the time limit.
    died,    ///< A signal ended it, `signal`.
    failed,  ///< It could not be started, or said nothing that makes sense: `failure`.
  };
  Ending ending = Ending::answered;
  int signal = 0;
  std::string failure;

  std::string library;  ///< The file that was loaded, or the name that could not be.
  bool simulated = false;
  double init_seconds = 0;               ///< Of cuInit, where it succeeded.
  std::optional<warm::Problem> problem;  ///< Why there are no devices.
  std::vector<DeviceAnswer> devices;
  std::vector<GpuState> gpus;

  /// The driver works, and shows at least one device.
  [[nodiscard]] bool shows_devices() const {
    return ending == Ending::answered && !problem && !devices.empty();
  }
  /// It answered with this CUresult instead of devices.
  [[nodiscard]] bool says(int code) const {
    return ending == Ending::answered && problem && problem->code == code;
  }
};

/// One JSON object on one line, with the newline; of an answer that was `answered`.
std::string to_line(const Answer& answer);

/// The answer in `line`; one that has `failed` where it is none.
Answer from_line(std::string_view line);

}  // namespace warminit::doctor
