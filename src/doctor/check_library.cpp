#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "warminit/cuda/abi.h"
#include "warminit/doctor/checks.h"
#include "warminit/os/fd.h"
#include "warminit/warm/surroundings.h"

namespace warminit::doctor {
namespace {

using namespace cuda::abi;  // The codes, by the names of cuda.h.

#if defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_X86_64;
#endif

/// Where drivers are put without the loader being told.
constexpr const char* kOtherFolders[] = {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
                                         "/usr/lib/wsl/lib", "/usr/lib/nvidia"};

/// Why the loader may have refused `path`.
Finding explain_refusal(const Seen& seen, const std::string& path) {
  const os::Fd file(::open(seen.machine.at(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno != ENOENT)
    return finding("unreadable-library", fmt::format("{}: {}", path, std::strerror(errno)),
                   "the driver's library is there, but this user may not read it",
                   "fix its mode and the mode of its folders, or run as another user");
  Elf64_Ehdr header{};
  const bool complete = file && ::read(file.get(), &header, sizeof header) == sizeof header &&
                        std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (complete && (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine))
    return finding(
        "wrong-architecture",
        fmt::format("{}: an ELF file of machine {}, class {}", path, header.e_machine,
                    int{header.e_ident[EI_CLASS]}),
        fmt::format("this program is of machine {}, 64 bit: the loader passes it over", kMachine),
        "mount the driver of this architecture, and put its folder first");
  return finding(
      "broken-library",
      fmt::format("{}: {}", path, file ? seen.driver.problem->reason : "a dangling link"),
      complete ? "the loader refuses the file"
               : "it is no library: an empty placeholder, or a link to a driver that "
                 "the container runtime did not mount",
      "start the container with GPUs; never copy libcuda into an image");
}

Finding explain_absence(const Seen& seen) {
  const Machine& machine = seen.machine;
  const std::string& name = machine.driver_library;
  for (const char* folder : kOtherFolders)
    if (name.find('/') == std::string::npos && machine.exists(folder + ("/" + name)))
      return finding("library-not-searched", fmt::format("{}/{}", folder, name),
                     "the driver is there, but the loader does not look there",
                     fmt::format("add {0} to LD_LIBRARY_PATH, or to /etc/ld.so.conf.d and run "
                                 "ldconfig",
                                 folder));
  const auto capabilities = machine.variable("NVIDIA_DRIVER_CAPABILITIES");
  const auto words = split(capabilities.value_or(""), ',');
  const auto has = [&](const char* word) { return std::ranges::count(words, word) != 0; };
  if (capabilities && !capabilities->empty() && !has("compute") && !has("all"))
    return finding("no-compute-capability",
                   fmt::format("NVIDIA_DRIVER_CAPABILITIES='{}', and no {}", *capabilities, name),
                   "the NVIDIA container runtime mounts libcuda only for 'compute'",
                   "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  return finding("no-libcuda", seen.driver.problem->reason,
                 "the driver's library is in none of the folders that the loader searches",
                 "start the container with GPUs (docker run --gpus all); the runtime then mounts "
                 "the library that fits the host");
}

Findings check_path(const Machine& machine) {
  Findings findings;
  for (const std::string& folder : split(machine.variable("LD_LIBRARY_PATH").value_or(""), ':')) {
    if ((folder + "/").find("/stubs/") != std::string::npos && machine.exists(folder))
      findings.push_back(finding(
          "stub-in-path", fmt::format("LD_LIBRARY_PATH has {}", folder),
          "programs that load libcuda.so get the toolkit's stub, which is no driver",
          fmt::format("take {} out of LD_LIBRARY_PATH; stubs are for linking only", folder)));
    if ((folder + "/").find("/compat/") != std::string::npos &&
        machine.exists(folder + "/libcuda.so.1"))
      findings.push_back(
          finding("compat-in-path", fmt::format("LD_LIBRARY_PATH has {}", folder),
                  "a compatibility library (cuda-compat) stands before the driver of the host: it "
                  "works on data-centre GPUs only, and only for some versions of the host's driver",
                  fmt::format("where GPUs fail, take {} out of LD_LIBRARY_PATH", folder)));
  }
  return findings;
}

}  // namespace

Findings check_library(const Seen& seen) {
  Findings findings = check_path(seen.machine);
  const Answer& driver = seen.driver;
  if (driver.says(CUDA_ERROR_STUB_LIBRARY))
    findings.push_back(finding("stub-library", driver.problem->reason,
                               "the toolkit's stub is found before the driver",
                               driver.problem->remedy));
  if (driver.says(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND))
    findings.push_back(finding("old-driver", driver.problem->reason,
                               "the driver is older than CUDA 11, or is none",
                               "install a newer driver on the host"));
  if (!driver.says(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)) return findings;
  const auto libraries = libraries_searched(seen.machine);
  for (const std::string& path : libraries) findings.push_back(explain_refusal(seen, path));
  if (libraries.empty() && !is_without_gpus(seen)) findings.push_back(explain_absence(seen));
  return findings;
}

}  // namespace warminit::doctor
