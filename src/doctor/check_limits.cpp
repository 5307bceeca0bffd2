#include <fmt/core.h>

#include <charconv>
#include <sstream>

#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

constexpr std::uint64_t kEnoughShm = std::uint64_t{1} << 30;
constexpr std::uint64_t kEnoughFiles = 4096;
constexpr std::uint64_t kEnoughPids = 1024;
constexpr std::uint64_t kEnoughLocked = std::uint64_t{64} << 20;

/// The number that `text` begins with; nothing for "max", "unlimited" and the like.
std::optional<std::uint64_t> number_in(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// The soft limit on the line of /proc/self/limits that begins with `name`.
/// Source: proc(5), /proc/PID/limits.
std::optional<std::uint64_t> soft_limit(const Machine& machine, const std::string& name) {
  std::istringstream lines(machine.read("/proc/self/limits").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t value = line.find_first_not_of(' ', name.size());
    return value == std::string::npos ? std::nullopt : number_in(line.substr(value));
  }
  return std::nullopt;
}

void check_shm(const Machine& machine, Findings& findings) {
  const auto size = machine.capacity(machine.at("/dev/shm"));
  if (size && *size >= kEnoughShm) return;
  findings.push_back(finding(
      "small-shm", size ? "/dev/shm has " + size_text(*size) : "/dev/shm: there is none",
      "PyTorch's DataLoader workers and NCCL pass data through it, and die of SIGBUS when it is "
      "full",
      "docker run --shm-size=8g or --ipc=host; in a pod an emptyDir of medium Memory on /dev/shm"));
}

/// Of cgroup v2, else of v1.
void check_pids(const Machine& machine, Findings& findings) {
  for (const std::string folder : {"/sys/fs/cgroup/", "/sys/fs/cgroup/pids/"}) {
    const auto most = number_in(machine.read(folder + "pids.max"));
    if (!most) continue;
    const std::uint64_t used = number_in(machine.read(folder + "pids.current")).value_or(0);
    if (*most >= kEnoughPids && used < *most / 10 * 9) return;
    findings.push_back(finding(
        "low-pids", fmt::format("{}pids.max is {}, {} are in use", folder, *most, used),
        "it counts threads: CUDA, NCCL, BLAS libraries and DataLoader workers start many, and fail "
        "with 'Resource temporarily unavailable'",
        "docker run --pids-limit=-1 or a larger number; podPidsLimit of the kubelet"));
    return;
  }
}

}  // namespace

Findings check_limits(const Seen& seen) {
  Findings findings;
  check_shm(seen.machine, findings);
  check_pids(seen.machine, findings);
  const auto files = soft_limit(seen.machine, "Max open files");
  if (files && *files < kEnoughFiles)
    findings.push_back(finding(
        "low-open-files", fmt::format("the soft limit of open files is {}", *files),
        "DataLoader workers pass tensors as descriptors, and several GPUs need some hundred: 'Too "
        "many open files', 'received 0 items of ancdata'",
        "docker run --ulimit nofile=65536:65536, or ulimit -n in the entrypoint"));
  const auto locked = soft_limit(seen.machine, "Max locked memory");
  if (locked && *locked < kEnoughLocked)
    findings.push_back(finding(
        "low-memlock", fmt::format("the limit of locked memory is {} KiB", *locked >> 10U),
        "pinned memory of CUDA is not counted, but RDMA's is: NCCL over InfiniBand fails to "
        "register its buffers",
        "docker run --ulimit memlock=-1, where the container uses RDMA"));
  return findings;
}

}  // namespace warminit::doctor
