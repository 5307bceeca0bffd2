#include <cstdio>
#include <string>

#include "call.h"
#include "exports.h"
#include "identity.h"

/// What cuDeviceGet… answers.
namespace warminit::simcuda {
namespace {

/// Sets `*out`, where there is one.
template <typename T>
abi::CUresult answer(T* out, const T& value) {
  if (out == nullptr) return abi::CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return abi::CUDA_SUCCESS;
}

/// Copies `text`, cut to what fits into `length` characters with its end.
abi::CUresult answer_text(char* out, int length, const std::string& text) {
  if (out == nullptr || length <= 0) return abi::CUDA_ERROR_INVALID_VALUE;
  std::snprintf(out, static_cast<std::size_t>(length), "%s", text.c_str());
  return abi::CUDA_SUCCESS;
}

abi::CUresult attribute(const Device& device, int which, int* value) {
  switch (which) {
    case abi::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      return answer(value, device.compute_mode());
    case abi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return answer(value, 9);
    case abi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return answer(value, 0);
    default:
      return abi::CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

extern "C" {

abi::CUresult cuDeviceGetCount(int* count) {
  if (!Process::instance().initialised()) return abi::CUDA_ERROR_NOT_INITIALIZED;
  return plain_call("cuDeviceGetCount", [count] {
    return answer(count, static_cast<int>(Process::instance().devices().size()));
  });
}

abi::CUresult cuDeviceGet(abi::CUdevice* device, int ordinal) {
  return device_call("cuDeviceGet", ordinal, [&](Device&) { return answer(device, ordinal); });
}

abi::CUresult cuDeviceGetName(char* name, int length, abi::CUdevice device) {
  return device_call("cuDeviceGetName", device,
                     [&](Device&) { return answer_text(name, length, "Simulated GPU"); });
}

abi::CUresult cuDeviceGetUuid(abi::CUuuid* uuid, abi::CUdevice device) {
  return device_call("cuDeviceGetUuid", device,
                     [&](Device& found) { return answer(uuid, gpu_uuid(found.number())); });
}

abi::CUresult cuDeviceGetUuid_v2(abi::CUuuid* uuid, abi::CUdevice device) {
  const auto uuid_of = Process::instance().switches().mig ? mig_uuid : gpu_uuid;
  return device_call("cuDeviceGetUuid_v2", device,
                     [&](Device& found) { return answer(uuid, uuid_of(found.number())); });
}

abi::CUresult cuDeviceTotalMem(std::size_t* bytes, abi::CUdevice device) {
  return device_call("cuDeviceTotalMem", device,
                     [&](Device& found) { return answer(bytes, found.memory_bytes()); });
}

abi::CUresult cuDeviceGetAttribute(int* value, int which, abi::CUdevice device) {
  return device_call("cuDeviceGetAttribute", device,
                     [&](Device& found) { return attribute(found, which, value); });
}

abi::CUresult cuDeviceGetPCIBusId(char* id, int length, abi::CUdevice device) {
  return device_call("cuDeviceGetPCIBusId", device, [&](Device& found) {
    return answer_text(id, length, pci_bus_id(found.number()));
  });
}

}  // extern "C"

}  // namespace warminit::simcuda
