#include "faults.h"

#include <unistd.h>

#include <csignal>

#include "file_lock.h"
#include "warminit/cuda/abi.h"

namespace warminit::simcuda {
namespace {

[[noreturn]] void hang() {
  while (true) ::pause();
}

/// Dies of a real SIGSEGV. The kernel kills with it even where it is blocked or ignored, because it
/// is the process's own fault; a sanitizer's handler or check would turn it into an exit.
__attribute__((no_sanitize("address"), no_sanitize("undefined"), no_sanitize("thread"))) void
crash() {
  ::signal(SIGSEGV, SIG_DFL);
  // Volatile twice: or the compiler knows that it is null, or that nobody reads what is written.
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

}  // namespace

Faults::Faults(const Switches& switches)
    : shared_(switches.shared),
      hangs_from_(std::chrono::steady_clock::now() + switches.hang_after),
      hang_{"hang", switches.hang, std::vector<std::atomic<unsigned long>>(switches.hang.size())},
      crash_{"crash", switches.crash,
             std::vector<std::atomic<unsigned long>>(switches.crash.size())},
      fail_{"fail", switches.fail, std::vector<std::atomic<unsigned long>>(switches.fail.size())} {}

cuda::abi::CUresult Faults::before(std::string_view function, std::optional<unsigned> device) {
  const bool may_hang = std::chrono::steady_clock::now() >= hangs_from_;
  if (may_hang && find(hang_, function, device) != nullptr) hang();
  if (find(crash_, function, device) != nullptr) crash();
  const Rule* rule = find(fail_, function, device);
  return rule == nullptr ? cuda::abi::CUDA_SUCCESS : rule->code;
}

const Rule* Faults::find(Switch& from, std::string_view function, std::optional<unsigned> device) {
  for (std::size_t i = 0; i < from.rules.size(); ++i) {
    const Rule& rule = from.rules[i];
    if (rule.function != function) continue;
    if (rule.device && device && *rule.device != *device) continue;
    if (!rule.times || use(from, i) <= *rule.times) return &rule;
  }
  return nullptr;
}

/// Uses rule `index` once more; returns which time it is, counted from 1.
unsigned long Faults::use(Switch& from, std::size_t index) {
  if (shared_.empty()) return ++from.used[index];
  const Rule& rule = from.rules[index];
  return count_in_file(shared_ + "." + from.kind + "-" + std::to_string(index) + "-" +
                       rule.function + "-" +
                       (rule.device ? std::to_string(*rule.device) : std::string("all")));
}

}  // namespace warminit::simcuda
