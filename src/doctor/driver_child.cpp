#include "warminit/doctor/driver_child.h"

#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "warminit/cuda/device.h"
#include "warminit/cuda/primary_context.h"
#include "warminit/cuda/warm_up.h"
#include "warminit/doctor/nvml.h"
#include "warminit/warm/diagnosis.h"

namespace warminit::doctor {
namespace {

/// A context and a kernel on `device`, for a moment.
void use(const cuda::Driver& driver, const cuda::Device& device, DeviceAnswer& answer) {
  const auto fail = [&](const cuda::Error& error) {
    answer.problem = warm::diagnose(error, driver.path).problem;
  };
  auto context = cuda::PrimaryContext::retain(driver, device.handle);
  if (!context) return fail(context.error());
  std::size_t free = 0;
  std::size_t total = 0;
  if (driver.cuMemGetInfo(&free, &total) == cuda::abi::CUDA_SUCCESS) answer.free_bytes = free;
  if (auto steps = cuda::warm_up(driver); !steps) fail(steps.error());
}

std::optional<cuda::Error> ask(const std::string& library, const Question& question,
                               Answer& answer) {
  auto driver = cuda::Driver::load(library);
  if (!driver) return driver.error();
  answer.library = driver->path;
  answer.simulated = driver->simulated;
  const auto begin = std::chrono::steady_clock::now();
  const auto result = driver->cuInit(0);
  if (result != cuda::abi::CUDA_SUCCESS) return driver->error("cuInit", result);
  answer.init_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  auto devices = cuda::visible_devices(*driver);
  if (!devices) return devices.error();
  for (const cuda::Device& device : *devices) {
    DeviceAnswer& shown = answer.devices.emplace_back();
    shown.ordinal = device.ordinal;
    shown.uuid = device.uuid;
    shown.compute_mode = cuda::compute_mode_name(device.compute_mode);
    shown.memory_bytes = device.memory_bytes;
    // In another mode a context of ours would lock out whoever the GPU is for.
    if (!question.list_only && device.compute_mode == cuda::abi::CU_COMPUTEMODE_DEFAULT)
      use(*driver, device, shown);
  }
  return std::nullopt;
}

}  // namespace

Answer ask_here(const std::string& library, const Question& question) {
  for (const std::string& name : question.without) ::unsetenv(name.c_str());
  Answer answer;
  answer.library = library;
  if (const auto error = ask(library, question, answer)) {
    answer.devices.clear();
    answer.problem = warm::diagnose(*error, answer.library).problem;
  }
  if (!question.list_only && !answer.simulated) answer.gpus = gpu_states(kNvmlLibrary);
  return answer;
}

int run_ask_driver(const std::string& library, const Question& question) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::fputs(to_line(ask_here(library, question)).c_str(), stdout);
  return 0;
}

}  // namespace warminit::doctor
