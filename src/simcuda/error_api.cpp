#include "call.h"
#include "exports.h"

/// The name and the words of every error, as the driver gives them.
namespace warminit::simcuda {
namespace {

struct ErrorText {
  abi::CUresult code;
  const char* name;
  const char* text;
};

#define WARMINIT_ERROR(name, text) \
  { abi::name, #name, text }
constexpr ErrorText kErrors[] = {
    WARMINIT_ERROR(CUDA_SUCCESS, "no error"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    WARMINIT_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    WARMINIT_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    WARMINIT_ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    WARMINIT_ERROR(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
    WARMINIT_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE,
                   "CUDA-capable device(s) is/are busy or unavailable"),
    WARMINIT_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    WARMINIT_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU,
                   "no kernel image is available for execution on the device"),
    WARMINIT_ERROR(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    WARMINIT_ERROR(CUDA_ERROR_NVLINK_UNCORRECTABLE,
                   "uncorrectable NVLink error detected during the execution"),
    WARMINIT_ERROR(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    WARMINIT_ERROR(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"),
    WARMINIT_ERROR(CUDA_ERROR_OPERATING_SYSTEM,
                   "OS call failed or operation not supported on this OS"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    WARMINIT_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    WARMINIT_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    WARMINIT_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    WARMINIT_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
                   "cannot set while device is active in this process"),
    WARMINIT_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    WARMINIT_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    WARMINIT_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    WARMINIT_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    WARMINIT_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE,
                   "operation not supported on global/shared address space"),
    WARMINIT_ERROR(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    WARMINIT_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    WARMINIT_ERROR(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
    WARMINIT_ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                   "system has unsupported display driver / cuda driver combination"),
    WARMINIT_ERROR(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
                   "forward compatibility was attempted on non supported HW"),
    WARMINIT_ERROR(CUDA_ERROR_MPS_CONNECTION_FAILED,
                   "MPS client failed to connect to the MPS control daemon or the MPS server"),
    WARMINIT_ERROR(CUDA_ERROR_MPS_RPC_FAILURE,
                   "the remote procedural call between the MPS server and the MPS client failed"),
    WARMINIT_ERROR(CUDA_ERROR_MPS_SERVER_NOT_READY,
                   "MPS server is not ready to accept new MPS client requests"),
    WARMINIT_ERROR(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
                   "the hardware resources required to create MPS client have been exhausted"),
    WARMINIT_ERROR(
        CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
        "the hardware resources required to support device connections have been exhausted"),
    WARMINIT_ERROR(CUDA_ERROR_MPS_CLIENT_TERMINATED,
                   "the MPS client has been terminated by the server"),
    WARMINIT_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef WARMINIT_ERROR

/// Sets `answer` to `part` of the error; to null if there is no such error.
abi::CUresult look_up(abi::CUresult code, const char* ErrorText::*part, const char** answer) {
  if (answer == nullptr) return abi::CUDA_ERROR_INVALID_VALUE;
  *answer = nullptr;
  for (const ErrorText& error : kErrors)
    if (error.code == code) *answer = error.*part;
  return *answer == nullptr ? abi::CUDA_ERROR_INVALID_VALUE : abi::CUDA_SUCCESS;
}

}  // namespace

extern "C" {

abi::CUresult cuGetErrorName(abi::CUresult error, const char** name) {
  return plain_call("cuGetErrorName", [&] { return look_up(error, &ErrorText::name, name); });
}

abi::CUresult cuGetErrorString(abi::CUresult error, const char** text) {
  return plain_call("cuGetErrorString", [&] { return look_up(error, &ErrorText::text, text); });
}

}  // extern "C"

}  // namespace warminit::simcuda
