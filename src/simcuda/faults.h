#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "switches.h"

namespace warminit::simcuda {

/// SIMCUDA_HANG, SIMCUDA_CRASH and SIMCUDA_FAIL: what goes wrong at the start of a call.
///
/// Any thread may use it, and none may hold a lock then: the call may never return.
class Faults {
 public:
  /// `switches` must outlive it.
  explicit Faults(const Switches& switches);

  /// What the call answers instead of doing its work; CUDA_SUCCESS if nothing is wrong with it.
  /// `device` is the device's number, absent for a function that is about none.
  cuda::abi::CUresult before(std::string_view function, std::optional<unsigned> device);

 private:
  /// The rules of one switch, and how often each was used by this process.
  struct Switch {
    const char* kind;
    const std::vector<Rule>& rules;
    std::vector<std::atomic<unsigned long>> used;
  };
  const Rule* find(Switch& from, std::string_view function, std::optional<unsigned> device);
  unsigned long use(Switch& from, std::size_t index);

  const std::string& shared_;
  const std::chrono::steady_clock::time_point hangs_from_;
  Switch hang_;
  Switch crash_;
  Switch fail_;
};

}  // namespace warminit::simcuda
