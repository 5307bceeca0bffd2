#include "warminit/doctor/nvml.h"

#include <dlfcn.h>

#include <array>
#include <type_traits>

namespace warminit::doctor {
namespace {

// The part of nvml.h that we use. 0 is NVML_SUCCESS; a device is an opaque pointer.
using Device = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr unsigned kMostGpus = 256;

struct Nvml {
  int (*init)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*persistence)(Device, int*) = nullptr;
  int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  int (*most_instances)(Device, unsigned*) = nullptr;
  int (*instance)(Device, unsigned, Device*) = nullptr;

  /// False where something is missing.
  bool load(const std::string& library) {
    void* loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const auto find = [loaded](auto*& function, const char* symbol) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(loaded, symbol));
      return function != nullptr;
    };
    return loaded != nullptr && find(init, "nvmlInit_v2") && find(count, "nvmlDeviceGetCount_v2") &&
           find(handle, "nvmlDeviceGetHandleByIndex_v2") && find(uuid, "nvmlDeviceGetUUID") &&
           find(persistence, "nvmlDeviceGetPersistenceMode") &&
           find(mig_mode, "nvmlDeviceGetMigMode") &&
           find(most_instances, "nvmlDeviceGetMaxMigDeviceCount") &&
           find(instance, "nvmlDeviceGetMigDeviceHandleByIndex");
  }
};

GpuState state_of(const Nvml& nvml, Device device) {
  GpuState state;
  std::array<char, 96> uuid{};
  if (nvml.uuid(device, uuid.data(), uuid.size() - 1) == kSuccess) state.uuid = uuid.data();
  int enabled = 0;
  if (nvml.persistence(device, &enabled) == kSuccess) state.persistence = enabled != 0;
  unsigned mig = 0;
  unsigned pending = 0;
  state.mig = nvml.mig_mode(device, &mig, &pending) == kSuccess && mig != 0;
  unsigned most = 0;
  if (!state.mig || nvml.most_instances(device, &most) != kSuccess) return state;
  for (unsigned i = 0; i < most; ++i)
    if (Device instance = nullptr; nvml.instance(device, i, &instance) == kSuccess)
      ++state.instances;
  return state;
}

}  // namespace

std::vector<GpuState> gpu_states(const std::string& library) {
  std::vector<GpuState> states;
  Nvml nvml;
  unsigned count = 0;
  if (!nvml.load(library) || nvml.init() != kSuccess || nvml.count(&count) != kSuccess)
    return states;
  for (unsigned i = 0; i < count && i < kMostGpus; ++i)
    if (Device device = nullptr; nvml.handle(i, &device) == kSuccess)
      states.push_back(state_of(nvml, device));
  return states;
}

}  // namespace warminit::doctor
