#pragma once

#include <map>
#include <string>

#include "warminit/cuda/driver.h"

namespace warminit::cuda {

/// Proves that the device of the current context computes: loads a kernel, runs it on 1024
/// elements, copies the result back and compares each with what the host computes.
///
/// Everything that it allocates or loads is given back before it returns.
///
/// Shape: seconds per step, by the names module, launch (with synchronize) and copy (with compare).
/// Cost: 0.2 ms with the kernel in the driver's JIT cache, 13-76 ms where the driver compiles it.
/// Errors: those of the driver; for a wrong result CUDA_SUCCESS, since no call has failed, with
/// "the device computed …".
Result<std::map<std::string, double>> warm_up(const Driver& driver);

}  // namespace warminit::cuda
