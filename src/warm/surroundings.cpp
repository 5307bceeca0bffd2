#include "warminit/warm/surroundings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "warminit/os/fd.h"
#include "warminit/os/number.h"

namespace warminit::warm {
namespace fs = std::filesystem;
namespace {

/// nvidia0, nvidia12: the node of a GPU. nvidia-modeset and the like are none of our business.
bool is_gpu_node(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::ranges::all_of(name.substr(kPrefix.size()),
                             [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::vector<std::string> device_node_problems() {
  std::vector<std::string> nodes{"/dev/nvidiactl", "/dev/nvidia-uvm"};
  std::error_code ignored;
  for (fs::directory_iterator it("/dev", ignored), end; !ignored && it != end;
       it.increment(ignored))
    if (is_gpu_node(it->path().filename().string())) nodes.push_back(it->path().string());
  if (nodes.size() == 2) nodes.emplace_back("/dev/nvidia0");
  std::ranges::sort(nodes);

  std::vector<std::string> problems;
  for (const std::string& node : nodes)
    if (!os::Fd(::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)))
      problems.push_back(node + ": " + std::strerror(errno));
  return problems;
}

std::optional<int> device_minor(const std::string& pci_bus_id) {
  std::string folder = pci_bus_id;
  std::ranges::transform(folder, folder.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream file("/proc/driver/nvidia/gpus/" + folder + "/information");
  constexpr std::string_view kKey = "Device Minor:";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kKey))
      return os::to_number(line.substr(line.find_first_not_of(" \t", kKey.size())));
  return std::nullopt;
}

std::vector<std::string> hiding_variables() {
  std::vector<std::string> found;
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
    if (const char* value = std::getenv(name); value != nullptr && std::string_view(value) != "all")
      found.push_back(std::string(name) + "='" + value + "'");
  return found;
}

const std::vector<std::string>& mps_variables() {
  static const std::vector<std::string> kNames{
      "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
      "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "CUDA_MPS_CLIENT_PRIORITY"};
  return kNames;
}

bool uses_mps() {
  return std::ranges::any_of(mps_variables(), [](const std::string& name) {
    return std::getenv(name.c_str()) != nullptr;
  });
}

std::string version_in(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
        word.find('.') != std::string::npos)
      return word;
    begin = end + 1;
  }
  return "unknown";
}

std::string kernel_module_version() {
  // No stream: init asks before it starts the command, and a first stream takes its time.
  const os::Fd file(::open("/proc/driver/nvidia/version", O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  const ssize_t n = file ? ::read(file.get(), text.data(), text.size()) : 0;
  const std::string_view read(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  return version_in(std::string(read.substr(0, read.find('\n'))));
}

std::string library_version(const std::string& library) {
  std::error_code error;
  const fs::path real = fs::canonical(library, error);
  const std::string name = error ? library : real.filename().string();
  constexpr std::string_view kMark = ".so.";
  const std::size_t mark = name.find(kMark);
  const std::string version = mark == std::string::npos ? "" : name.substr(mark + kMark.size());
  return version.find('.') == std::string::npos ? "unknown" : version;
}

std::string join(const std::vector<std::string>& parts, const std::string& otherwise) {
  if (parts.empty()) return otherwise;
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) text += ", " + parts[i];
  return text;
}

}  // namespace warminit::warm
