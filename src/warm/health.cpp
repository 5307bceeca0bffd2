#include "warminit/warm/health.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "warminit/cuda/warm_up.h"
#include "warminit/os/descriptors.h"
#include "warminit/os/fd.h"
#include "warminit/os/number.h"
#include "warminit/warm/surroundings.h"

namespace warminit::warm {
namespace {

namespace fs = std::filesystem;

/// Every process has these open, whatever its driver does.
bool is_everybodys(const std::string& path) {
  static const std::set<std::string> kNames{"/dev/null", "/dev/zero",   "/dev/full",
                                            "/dev/tty",  "/dev/random", "/dev/urandom"};
  return kNames.contains(path) || path.starts_with("/dev/pts/") || path.starts_with("/dev/tty");
}

/// Why `path` cannot be opened, as a new process would; empty where it can.
std::string obstacle(const std::string& path) {
  const os::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  return fd ? "" : path + ": " + std::strerror(errno);
}

/// Whether the loss of the device file `path` concerns `device`: that of another GPU does not.
bool concerns(const std::string& path, const DeviceReport& device) {
  constexpr std::string_view kPrefix = "/dev/nvidia";
  const auto owner =
      path.starts_with(kPrefix) ? os::to_number(path.substr(kPrefix.size())) : std::optional<int>();
  if (!owner) return true;  // nvidiactl, nvidia-uvm: everybody's.
  const auto own = device_minor(device.pci_bus_id);
  return !own || *own == *owner;
}

}  // namespace

std::optional<Memory> memory_of_current(const cuda::Driver& driver) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (driver.cuMemGetInfo(&free_bytes, &total_bytes) != cuda::abi::CUDA_SUCCESS)
    return std::nullopt;
  return Memory{free_bytes, total_bytes};
}

std::vector<std::string> open_device_files() {
  std::set<std::string> files;
  std::error_code ignored;
  for (fs::directory_iterator it("/proc/self/fd", ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    // Our log's, which may be a console that only others may open.
    const auto number = os::to_number(it->path().filename().string());
    if (number && *number <= STDERR_FILENO) continue;
    struct stat status {};
    const std::string path = os::path_behind(it->path().string());
    if (path.empty() || ::stat(it->path().c_str(), &status) != 0) continue;
    if (S_ISCHR(status.st_mode) && path.starts_with('/') && !is_everybodys(path))
      files.insert(path);
  }
  return {files.begin(), files.end()};
}

Health::Health(Held& held, std::vector<std::string> files, Reporter report)
    : held_(held), files_(std::move(files)), report_(std::move(report)) {
  for (const DeviceReport& device : held_.reports) usual_.push_back(device.problem);
}

std::optional<Diagnosis> Health::check() {
  std::vector<std::pair<std::string, std::string>> lost;  // Files and why.
  for (const std::string& file : files_)
    if (std::string why = obstacle(file); !why.empty()) lost.emplace_back(file, std::move(why));

  for (std::size_t i = 0; i < held_.reports.size(); ++i) {
    DeviceReport& device = held_.reports[i];
    const bool was_lost = device.status == DeviceStatus::lost;
    if (device.status != DeviceStatus::ready && !was_lost) continue;
    const auto begin = std::chrono::steady_clock::now();
    const auto it = std::ranges::find_if(
        lost, [&](const auto& entry) { return concerns(entry.first, device); });
    if (it != lost.end()) {
      device.status = DeviceStatus::lost;
      device.problem = Problem{
          0, "no new process can use it: " + it->second,
          "a cgroup or the container runtime has taken it away (systemctl daemon-reload on the "
          "host does so): start the container anew, or name the device files with --device"};
    } else if (was_lost) {
      device.status = DeviceStatus::ready;
      device.problem = usual_[i];
    }
    auto fatal = it == lost.end() ? run_kernel(i, device) : std::nullopt;
    (device.status == DeviceStatus::ready ? device.checks.passed : device.checks.failed) += 1;
    device.checks.last_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_(device);
    if (fatal) return fatal;
  }
  return std::nullopt;
}

std::optional<Diagnosis> Health::run_kernel(std::size_t index, DeviceReport& device) {
  const auto& context = held_.contexts[index];
  if (!context) return std::nullopt;  // Held at a lower level: nothing to run it on.
  const auto current = context->make_current();
  const auto steps = current ? cuda::warm_up(*held_.driver)
                             : cuda::Result<std::map<std::string, double>>(current.error());
  if (steps) {
    device.memory = memory_of_current(*held_.driver);
    return std::nullopt;
  }
  Diagnosis diagnosis = diagnose(steps.error(), held_.driver->path);
  // Others may have taken all memory meanwhile: that says nothing about the GPU.
  if (diagnosis.response == Response::skip_device) return std::nullopt;
  device.status = DeviceStatus::lost;
  device.level = HoldLevel::off;
  device.problem = diagnosis.problem;
  diagnosis.response = Response::restart;
  return diagnosis;
}

}  // namespace warminit::warm
