#include "warminit/cli/devices.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "warminit/cuda/device.h"
#include "warminit/warm/diagnosis.h"

namespace warminit::cli {
namespace {

nlohmann::ordered_json to_json(const cuda::Device& device) {
  return {{"ordinal", device.ordinal},
          {"uuid", device.uuid},
          {"name", device.name},
          {"pci_bus_id", device.pci_bus_id},
          {"memory_bytes", device.memory_bytes},
          {"compute_mode", cuda::compute_mode_name(device.compute_mode)},
          {"compute_capability",
           fmt::format("{}.{}", device.capability_major, device.capability_minor)},
          {"mig", device.mig}};
}

void print_json(const cuda::Driver& driver, int version, const std::vector<cuda::Device>& devices) {
  nlohmann::ordered_json json{
      {"driver",
       {{"library", driver.path}, {"cuda_version", version}, {"simulated", driver.simulated}}},
      {"devices", nlohmann::ordered_json::array()}};
  for (const cuda::Device& device : devices) json["devices"].push_back(to_json(device));
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const cuda::Driver& driver, int version,
                 const std::vector<cuda::Device>& devices) {
  fmt::print("driver for CUDA {}.{} from {}{}\n", version / 1000, version % 1000 / 10, driver.path,
             driver.simulated ? " (SIMULATED)" : "");
  constexpr auto kRow = "{:<3}  {:<40}  {:<28}  {:<16}  {:>10}  {:<17}  {:<3}\n";
  fmt::print(kRow, "GPU", "UUID", "NAME", "PCI BUS ID", "MEMORY", "COMPUTE MODE", "MIG");
  for (const cuda::Device& device : devices)
    fmt::print(kRow, device.ordinal, device.uuid, device.name, device.pci_bus_id,
               fmt::format("{} MiB", device.memory_bytes >> 20U),
               cuda::compute_mode_name(device.compute_mode), device.mig ? "yes" : "no");
}

int explain(const cuda::Error& error, const std::string& library) {
  const warm::Problem problem = warm::diagnose(error, library).problem;
  fmt::print(stderr, "warminit: {}{}{}\n", problem.reason, problem.remedy.empty() ? "" : "; ",
             problem.remedy);
  return 1;
}

/// Ends this process where the driver hangs: no call of it can be given up otherwise.
void limit(std::chrono::milliseconds time) {
  std::thread([time] {
    std::this_thread::sleep_for(time);
    fmt::print(stderr,
               "warminit: the driver has not answered for {} ms; the host's kernel log may say why "
               "(Xid), --init-timeout waits longer\n",
               time.count());
    ::_exit(1);
  }).detach();
}

}  // namespace

int run_devices(const Options& options) {
  limit(options.holder.init_timeout);
  auto driver = cuda::Driver::load(options.holder.driver_library);
  if (!driver) return explain(driver.error(), options.holder.driver_library);
  const auto result = driver->cuInit(0);
  if (result != cuda::abi::CUDA_SUCCESS)
    return explain(driver->error("cuInit", result), driver->path);
  auto devices = cuda::visible_devices(*driver);
  if (!devices) return explain(devices.error(), driver->path);
  int version = 0;
  (void)driver->cuDriverGetVersion(&version);  // Cannot fail; 0 would show.
  if (options.json)
    print_json(*driver, version, *devices);
  else
    print_table(*driver, version, *devices);
  return 0;
}

}  // namespace warminit::cli
