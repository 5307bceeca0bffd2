#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warminit/cuda/driver.h"

namespace warminit::cuda {

/// A device as the driver shows it to this process.
struct Device {
  abi::CUdevice handle = 0;
  int ordinal = 0;
  std::string uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; "MIG-…" for a MIG instance.
  std::string name;
  std::string pci_bus_id;  ///< domain:bus:device.function
  std::uint64_t memory_bytes = 0;
  int compute_mode = abi::CU_COMPUTEMODE_DEFAULT;
  int capability_major = 0;
  int capability_minor = 0;
  bool mig = false;
};

/// Every device that is visible here, by ordinal. cuInit must have succeeded.
///
/// Errors: those of the query that failed; there are no half-known devices.
/// Source: CUDA Driver API 13.0, "Device Management".
Result<std::vector<Device>> visible_devices(const Driver& driver);

/// "Default", "Exclusive_Process", "Prohibited": the words of nvidia-smi.
std::string compute_mode_name(int mode);

}  // namespace warminit::cuda
