#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace warminit::doctor {

/// Worst first: findings are sorted by it.
enum class Severity {
  error,    ///< A GPU cannot be used.
  warning,  ///< Slow or fragile.
  note,     ///< Good to know.
};

struct CatalogueEntry {
  std::string_view code;
  Severity severity;
};

/// Every finding that there is. The codes are stable: scripts rely on them. docs/DOCTOR.md has the
/// same list with explanations, and tests/doctor/catalogue_test.cpp holds the two together.
inline constexpr std::array kCatalogue = std::to_array<CatalogueEntry>({
    // The container as a whole.
    {"no-kernel-module", Severity::error},
    {"no-gpus-given", Severity::error},
    {"visible-devices-void", Severity::error},
    // The driver's library.
    {"no-libcuda", Severity::error},
    {"no-compute-capability", Severity::error},
    {"library-not-searched", Severity::error},
    {"unreadable-library", Severity::error},
    {"wrong-architecture", Severity::error},
    {"broken-library", Severity::error},
    {"stub-library", Severity::error},
    {"old-driver", Severity::error},
    {"stub-in-path", Severity::warning},
    {"compat-in-path", Severity::note},
    {"version-mismatch", Severity::error},
    // Device nodes.
    {"no-control-node", Severity::error},
    {"no-gpu-node", Severity::error},
    {"no-uvm-node", Severity::error},
    {"node-forbidden", Severity::error},
    {"node-denied", Severity::error},
    {"node-dead", Severity::error},
    {"gpu-not-given", Severity::note},
    // What the driver answers.
    {"driver-hangs", Severity::error},
    {"driver-crashes", Severity::error},
    {"driver-not-asked", Severity::error},
    {"fabric-manager", Severity::error},
    {"compat-not-supported", Severity::error},
    {"mps-unreachable", Severity::error},
    {"mps-no-server", Severity::warning},
    {"driver-error", Severity::error},
    {"slow-init", Severity::warning},
    {"simulated-driver", Severity::note},
    // CUDA_VISIBLE_DEVICES.
    {"all-gpus-hidden", Severity::error},
    {"unknown-visible-device", Severity::error},
    {"duplicate-visible-device", Severity::error},
    {"visible-devices-cut-short", Severity::warning},
    {"some-gpus-hidden", Severity::note},
    // Each GPU.
    {"gpu-fails", Severity::error},
    {"compute-prohibited", Severity::error},
    {"compute-exclusive", Severity::warning},
    {"mig-without-instance", Severity::error},
    {"gpu-memory-full", Severity::warning},
    {"persistence-off", Severity::warning},
    // Variables of CUDA.
    {"jit-cache-disabled", Severity::warning},
    {"jit-cache-no-home", Severity::warning},
    {"jit-cache-unwritable", Severity::warning},
    {"jit-cache-small", Severity::warning},
    {"jit-cache-full", Severity::warning},
    {"eager-loading", Severity::warning},
    {"launch-blocking", Severity::warning},
    {"device-connections", Severity::warning},
    // Limits of the container.
    {"small-shm", Severity::warning},
    {"low-open-files", Severity::warning},
    {"low-pids", Severity::warning},
    {"low-memlock", Severity::note},
    // PID 1.
    {"no-init", Severity::warning},
    {"socket-unreachable", Severity::warning},
    {"no-warminit", Severity::note},
    {"no-run-folder", Severity::note},
});

/// A code of the catalogue, written as a literal; one that is not in it does not compile.
class Code {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): finding("no-libcuda", …) shall read like that.
  consteval Code(const char* code) : index_(find(code)) {}
  [[nodiscard]] const CatalogueEntry& entry() const { return kCatalogue[index_]; }

 private:
  static consteval std::size_t find(std::string_view code) {
    for (std::size_t i = 0; i < kCatalogue.size(); ++i)
      if (kCatalogue[i].code == code) return i;
    throw "not in the catalogue";
  }

  std::size_t index_;
};

}  // namespace warminit::doctor
