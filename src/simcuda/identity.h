#pragma once

#include <string>

#include "warminit/cuda/abi.h"

/// Names of simulated hardware: the same in every process, different for every device.
namespace warminit::simcuda {

/// Device 0's begins with 5cb7f26c.
cuda::abi::CUuuid gpu_uuid(unsigned number);

/// Of the MIG instance that stands for GPU `number` under SIMCUDA_MIG.
cuda::abi::CUuuid mig_uuid(unsigned number);

/// "GPU-5cb7f26c-…"; `kind` is "GPU-" or "MIG-".
std::string text_of(const char* kind, const cuda::abi::CUuuid& uuid);

/// "0000:01:00.0"
std::string pci_bus_id(unsigned number);

}  // namespace warminit::simcuda
