#include "warminit/cuda/device.h"

#include <array>
#include <cstring>
#include <string_view>

namespace warminit::cuda {
namespace {

std::string uuid_text(const abi::CUuuid& uuid, std::string_view prefix) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(prefix);
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid.bytes[i] >> 4U];
    text += kDigits[uuid.bytes[i] & 0xFU];
  }
  return text;
}

/// Fills `device.uuid` and `device.mig`. For a MIG instance the second version of the call
/// answers with the instance's own UUID, the first with its GPU's.
Result<Done> query_uuid(const Driver& driver, Device& device) {
  abi::CUuuid gpu{};
  const auto result = driver.cuDeviceGetUuid(&gpu, device.handle);
  if (result != abi::CUDA_SUCCESS) return driver.error("cuDeviceGetUuid", result);
  abi::CUuuid own = gpu;
  if (driver.cuDeviceGetUuid_v2 != nullptr) {
    const auto result_v2 = driver.cuDeviceGetUuid_v2(&own, device.handle);
    if (result_v2 != abi::CUDA_SUCCESS) return driver.error("cuDeviceGetUuid_v2", result_v2);
  }
  device.mig = std::memcmp(gpu.bytes, own.bytes, sizeof gpu.bytes) != 0;
  device.uuid = uuid_text(own, device.mig ? "MIG-" : "GPU-");
  return Done{};
}

Result<Device> query(const Driver& driver, int ordinal) {
  Device device;
  device.ordinal = ordinal;
  std::array<char, 256> name{};
  std::array<char, 32> bus{};
  std::size_t bytes = 0;

  const auto attribute = [&](int* value, int which) {
    return driver.check("cuDeviceGetAttribute",
                        driver.cuDeviceGetAttribute(value, which, device.handle));
  };
  auto step = driver.check("cuDeviceGet", driver.cuDeviceGet(&device.handle, ordinal));
  if (step) step = query_uuid(driver, device);
  if (step)
    step = driver.check("cuDeviceGetName",
                        driver.cuDeviceGetName(name.data(), name.size() - 1, device.handle));
  if (step)
    step = driver.check("cuDeviceGetPCIBusId",
                        driver.cuDeviceGetPCIBusId(bus.data(), bus.size() - 1, device.handle));
  if (step) step = driver.check("cuDeviceTotalMem", driver.cuDeviceTotalMem(&bytes, device.handle));
  if (step) step = attribute(&device.compute_mode, abi::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  if (step)
    step = attribute(&device.capability_major, abi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  if (step)
    step = attribute(&device.capability_minor, abi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  if (!step) return step.error();

  device.name = name.data();
  device.pci_bus_id = bus.data();
  device.memory_bytes = bytes;
  return device;
}

}  // namespace

Result<std::vector<Device>> visible_devices(const Driver& driver) {
  int count = 0;
  const auto result = driver.cuDeviceGetCount(&count);
  if (result != abi::CUDA_SUCCESS) return driver.error("cuDeviceGetCount", result);
  std::vector<Device> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    auto device = query(driver, ordinal);
    if (!device) return device.error();
    devices.push_back(std::move(*device));
  }
  return devices;
}

std::string compute_mode_name(int mode) {
  switch (mode) {
    case abi::CU_COMPUTEMODE_DEFAULT:
      return "Default";
    case abi::CU_COMPUTEMODE_PROHIBITED:
      return "Prohibited";
    case abi::CU_COMPUTEMODE_EXCLUSIVE_PROCESS:
      return "Exclusive_Process";
    default:
      return "compute mode " + std::to_string(mode);
  }
}

}  // namespace warminit::cuda
