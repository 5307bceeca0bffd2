#pragma once

#include <cstddef>

/// The part of the CUDA driver's binary interface that we use, declared here so that building
/// needs no CUDA toolkit. Names and values are those of cuda.h; where a toolkit is present,
/// tests/cuda/abi_test.cpp holds each of them against the real header.
///
/// Source: CUDA Driver API 13.0, cuda.h. The function types are those of the exported symbols in
/// cuda/driver.h, which is where cuda.h renames a function to a later version (`_v2`).
namespace warminit::cuda::abi {

using CUresult = int;
using CUdevice = int;  ///< A handle from cuDeviceGet, neither an ordinal nor an NVML index.
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;

struct CUuuid {
  unsigned char bytes[16];
};

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
  CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
  CUDA_ERROR_OPERATING_SYSTEM = 304,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_RPC_FAILURE = 806,
  CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
  CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
  CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_UNKNOWN = 999,
};

enum : int {
  CU_COMPUTEMODE_DEFAULT = 0,
  CU_COMPUTEMODE_PROHIBITED = 2,
  CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3,
};

enum : int {
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
};

enum : int { CU_LIMIT_STACK_SIZE = 0 };
enum : unsigned { CU_CTX_SCHED_BLOCKING_SYNC = 0x04 };

using cuInit_t = CUresult(unsigned flags);
using cuDriverGetVersion_t = CUresult(int* version);
using cuGetErrorName_t = CUresult(CUresult error, const char** name);
using cuGetErrorString_t = CUresult(CUresult error, const char** text);
using cuDeviceGetCount_t = CUresult(int* count);
using cuDeviceGet_t = CUresult(CUdevice* device, int ordinal);
using cuDeviceGetName_t = CUresult(char* name, int length, CUdevice device);
using cuDeviceGetUuid_t = CUresult(CUuuid* uuid, CUdevice device);
using cuDeviceTotalMem_t = CUresult(std::size_t* bytes, CUdevice device);
using cuDeviceGetAttribute_t = CUresult(int* value, int attribute, CUdevice device);
using cuDeviceGetPCIBusId_t = CUresult(char* id, int length, CUdevice device);
using cuDevicePrimaryCtxSetFlags_t = CUresult(CUdevice device, unsigned flags);
using cuDevicePrimaryCtxRetain_t = CUresult(CUcontext* context, CUdevice device);
using cuDevicePrimaryCtxRelease_t = CUresult(CUdevice device);
using cuCtxSetCurrent_t = CUresult(CUcontext context);
using cuCtxSetLimit_t = CUresult(int limit, std::size_t value);
using cuCtxSynchronize_t = CUresult();
using cuModuleLoadData_t = CUresult(CUmodule* module, const void* image);
using cuModuleUnload_t = CUresult(CUmodule module);
using cuModuleGetFunction_t = CUresult(CUfunction* function, CUmodule module, const char* name);
using cuLaunchKernel_t = CUresult(CUfunction function, unsigned grid_x, unsigned grid_y,
                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                  unsigned block_z, unsigned shared_bytes, CUstream stream,
                                  void** parameters, void** extra);
using cuMemAlloc_t = CUresult(CUdeviceptr* pointer, std::size_t bytes);
using cuMemGetInfo_t = CUresult(std::size_t* free, std::size_t* total);
using cuMemFree_t = CUresult(CUdeviceptr pointer);
using cuMemcpyDtoH_t = CUresult(void* host, CUdeviceptr device, std::size_t bytes);

}  // namespace warminit::cuda::abi
