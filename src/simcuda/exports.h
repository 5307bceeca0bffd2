#pragma once

#include "warminit/cuda/abi.h"
#include "warminit/cuda/driver.h"

/// What the library exports, declared from the loader's own table: a definition whose type differs
/// from the table's does not compile, and the assembler label gives it the name that libcuda
/// exports for this ABI (`cuMemAlloc` is the symbol "cuMemAlloc_v2").
///
/// Definitions stand in `extern "C"` blocks too; without, a wrong type would be an overload.
namespace warminit::simcuda {

namespace abi = cuda::abi;

extern "C" {

#define WARMINIT_EXPORT(function, symbol) \
  __attribute__((visibility("default"))) abi::function##_t function __asm__(symbol);
WARMINIT_CUDA_FUNCTIONS(WARMINIT_EXPORT)
WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_EXPORT)
#undef WARMINIT_EXPORT

/// How the loader knows a simulation.
extern const int warminit_simcuda __attribute__((visibility("default")));

}  // extern "C"

}  // namespace warminit::simcuda
