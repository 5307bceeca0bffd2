#include "warminit/warm/diagnosis.h"

#include <fmt/core.h>

#include "warminit/cuda/driver.h"
#include "warminit/warm/surroundings.h"

namespace warminit::warm {
namespace {

using namespace cuda::abi;  // The codes, by the names of cuda.h.

std::string explain_hidden() {
  const std::string variables = join(hiding_variables(), "");
  if (variables.empty())
    return "the container was given no GPU: start it with some (docker run --gpus all)";
  return fmt::format(
      "hidden by {}; give the container GPUs (docker run --gpus all) and leave "
      "CUDA_VISIBLE_DEVICES unset or let it name devices that exist here, each once",
      variables);
}

/// The driver calls a device invalid where CUDA_VISIBLE_DEVICES names one twice, or names none.
std::string explain_invalid() {
  return hiding_variables().empty() ? "no variable chooses devices here: 'warminit doctor' looks "
                                      "for what else may be wrong"
                                    : explain_hidden();
}

std::string explain_no_library(const std::string& library) {
  if (library != cuda::kDefaultLibrary)
    return "check --driver-library (WARMINIT_DRIVER_LIBRARY), which names it, or leave it out for "
           "the container's own driver";
  return "no CUDA driver in this container: start it with GPUs (docker run --gpus all) and with "
         "'compute' in NVIDIA_DRIVER_CAPABILITIES";
}

std::string explain_nodes(const std::string& otherwise) {
  const auto problems = device_node_problems();
  if (problems.empty()) return otherwise;
  return fmt::format(
      "{}: pass the devices into the container (docker run --gpus all), and check "
      "its user, cgroup and security profile",
      join(problems, ""));
}

std::string explain_mismatch(const std::string& library) {
  return fmt::format(
      "{} is version {}, the kernel module {}; restart the container so that the "
      "runtime mounts the library that fits, or reload the module",
      library, library_version(library), kernel_module_version());
}

Diagnosis answer(const cuda::Error& error, Response response, std::string remedy) {
  return {response, {error.code, error.what, std::move(remedy)}};
}

}  // namespace

Diagnosis diagnose(const cuda::Error& error, const std::string& library) {
  switch (error.code) {
    case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
      return answer(error, Response::give_up, explain_no_library(library));
    case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
      return answer(error, Response::give_up, "needs a driver for CUDA 11 or later");
    case CUDA_ERROR_STUB_LIBRARY:
      return answer(error, Response::give_up,
                    "the toolkit's stub stands before the driver: take its folder out of "
                    "LD_LIBRARY_PATH, and start the container with GPUs");
    case CUDA_ERROR_NO_DEVICE:
      return answer(error, Response::give_up, explain_hidden());
    case CUDA_ERROR_INVALID_DEVICE:
      return answer(error, Response::give_up, explain_invalid());
    case CUDA_ERROR_OUT_OF_MEMORY:
      return answer(error, Response::skip_device,
                    "its memory is taken by other processes: nvidia-smi shows them; free some");
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return answer(error, Response::skip_device,
                    "another process owns it, or its compute mode forbids a context: see "
                    "nvidia-smi -q -d COMPUTE");
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return answer(error, Response::wait,
                    "the host is not ready: nvidia-fabricmanager must run there (systemctl status "
                    "nvidia-fabricmanager)");
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return answer(error, Response::give_up, explain_mismatch(library));
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return answer(error, Response::give_up,
                    explain_mismatch(library) +
                        "; a compatibility library (cuda-compat) works on "
                        "data-centre GPUs only: elsewhere take it out of the library path");
    case CUDA_ERROR_OPERATING_SYSTEM:
      return answer(error, Response::restart,
                    explain_nodes("the device nodes can be opened: see the host's kernel log"));
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
      return answer(error, uses_mps() ? Response::retry_without_mps : Response::restart,
                    "the MPS server cannot be reached: check that nvidia-cuda-mps-control runs and "
                    "that its pipe directory is mounted, with the same user");
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
      return answer(error, uses_mps() ? Response::retry_without_mps : Response::restart,
                    "the MPS server has ended its clients, as it does when one of them fails: see "
                    "its log, and restart it if it does not recover");
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return answer(
          error, Response::restart,
          "the GPU has failed: see the host's kernel log for an Xid, and reset or replace "
          "it if that comes again");
    case CUDA_SUCCESS:  // Every call succeeded, and the result is wrong.
      return answer(error, Response::fail_device,
                    "the GPU has failed: do not use it; reset or replace it");
    case CUDA_ERROR_UNKNOWN:
      return answer(error, Response::fail_device,
                    explain_nodes("compute mode Prohibited, a host that was suspended, or a module "
                                  "nvidia_uvm that is not loaded (nvidia-modprobe -u)"));
    default:
      return answer(error, Response::fail_device,
                    "an error of the driver without a known cure: see the host's kernel log");
  }
}

}  // namespace warminit::warm
