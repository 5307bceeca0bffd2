#include "doctor/fake_machine.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "warminit/cuda/abi.h"

namespace warminit::test {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLibrary = "/usr/lib64/libcuda.so.1";
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

}  // namespace

doctor::DeviceAnswer fake_device(int ordinal) {
  doctor::DeviceAnswer device;
  device.ordinal = ordinal;
  device.uuid = "GPU-" + std::to_string(ordinal);
  device.compute_mode = "Default";
  device.memory_bytes = 141 * kGiB;
  device.free_bytes = 140 * kGiB;
  return device;
}

FakeMachine::FakeMachine() {
  machine = doctor::machine_at(folder_.path());
  machine.driver_library = "libcuda.so.1";
  machine.socket = "/run/warminit/control.sock";
  machine.environment = {{"HOME", "/root"}};
  machine.connect = [](const std::string&) { return 0; };
  machine.capacity = [](const std::string&) { return std::optional(8 * kGiB); };
  machine.ask_driver = [this](const doctor::Question& question) {
    asked.push_back(question);
    return question.without.empty() ? answer : unhidden.value_or(answer);
  };
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"}) add(node);
  add("/proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\n");
  add("/proc/1/comm", "warminit\n");
  add("/proc/self/limits",
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max locked memory         unlimited            unlimited            bytes     \n"
      "Max open files            65536                524288               files     \n");
  add("/sys/fs/cgroup/pids.max", "max\n");
  add("/root/.profile");
  add("/run/warminit/control.sock");
  add("/usr/lib64/libcuda.so.580.65.06");
  link(kLibrary, "libcuda.so.580.65.06");
  answer.library = kLibrary;
  answer.init_seconds = 0.1;
  answer.devices = {fake_device(0)};
  answer.gpus = {{"GPU-0", true, false, 0}};
}

void FakeMachine::add(const std::string& path, const std::string& content) const {
  fs::create_directories(fs::path(machine.at(path)).parent_path());
  folder_.add(path.substr(1), content);
}

void FakeMachine::remove(const std::string& path) const { fs::remove_all(machine.at(path)); }

void FakeMachine::link(const std::string& path, const std::string& target) const {
  fs::create_directories(fs::path(machine.at(path)).parent_path());
  fs::create_symlink(target, machine.at(path));
}

void FakeMachine::driver_says(int code, const std::string& reason) {
  answer.devices.clear();
  answer.init_seconds = 0;
  answer.problem = warm::Problem{code, reason, "the remedy"};
}

void FakeMachine::lose_library() {
  remove(kLibrary);
  driver_says(cuda::abi::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
              "dlopen: libcuda.so.1: cannot open shared object file: No such file or directory");
  answer.library = "libcuda.so.1";
}

void FakeMachine::refuse(const std::string& node, int error) {
  machine.open_device = [path = machine.at(node), error,
                         otherwise = machine.open_device](const std::string& asked_for) {
    return asked_for == path ? error : otherwise(asked_for);
  };
}

std::vector<std::string> FakeMachine::codes() const {
  std::vector<std::string> codes;
  for (const doctor::Finding& finding : examine()) codes.emplace_back(finding.code);
  return codes;
}

doctor::Finding FakeMachine::found(const std::string& code) const {
  for (const doctor::Finding& finding : examine())
    if (finding.code == code) return finding;
  ADD_FAILURE() << "not found: " << code;
  return {};
}

}  // namespace warminit::test
