#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

#if defined(__aarch64__)
constexpr const char* kTriplet = "aarch64-linux-gnu";
#else
constexpr const char* kTriplet = "x86_64-linux-gnu";
#endif

}  // namespace

std::vector<std::string> libraries_searched(const Machine& machine) {
  const std::string& name = machine.driver_library;
  if (name.find('/') != std::string::npos)
    return machine.exists(name) ? std::vector{name} : std::vector<std::string>{};
  std::vector<std::string> folders = split(machine.variable("LD_LIBRARY_PATH").value_or(""), ':');
  for (const char* folder : {"/lib/", "/usr/lib/"})
    folders.push_back(folder + std::string(kTriplet));
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    folders.emplace_back(folder);
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    std::string path = folder + "/" + name;
    if (!folder.empty() && machine.exists(path)) found.push_back(std::move(path));
  }
  return found;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace warminit::doctor
