#include "warminit/warm/bring_up.h"

#include <chrono>
#include <thread>
#include <utility>

#include "warminit/cuda/device.h"
#include "warminit/cuda/warm_up.h"
#include "warminit/warm/health.h"

namespace warminit::warm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

DeviceReport describe(const cuda::Device& device) {
  DeviceReport report;
  report.ordinal = device.ordinal;
  report.uuid = device.uuid;
  report.name = device.name;
  report.pci_bus_id = device.pci_bus_id;
  report.memory_bytes = device.memory_bytes;
  report.compute_mode = cuda::compute_mode_name(device.compute_mode);
  report.mig = device.mig;
  return report;
}

/// Brings one device from waiting to its end, and reports each change.
class Warmer {
 public:
  Warmer(const Held& held, HoldLevel level, const Reporter& report, const cuda::Device& device)
      : driver_(*held.driver),
        level_(level),
        report_(report),
        device_(device),
        state_(describe(device)) {
    enter(DeviceStatus::waiting);
  }

  /// The context, where it is to be kept.
  std::optional<cuda::PrimaryContext> run() {
    if (!compute_mode_allows()) return std::nullopt;
    enter(DeviceStatus::initialising);
    auto begin = Clock::now();
    auto context = cuda::PrimaryContext::retain(driver_, device_.handle);
    if (!context) return fail(context.error());
    state_.seconds["retain"] = seconds_since(begin);

    enter(DeviceStatus::warming);
    auto steps = cuda::warm_up(driver_);
    if (!steps) return fail(steps.error());
    state_.seconds.merge(*steps);
    state_.memory = memory_of_current(driver_);

    std::optional<cuda::PrimaryContext> kept(std::move(*context));
    if (level_ == HoldLevel::device) {
      begin = Clock::now();
      kept.reset();
      state_.seconds["release"] = seconds_since(begin);
    }
    state_.level = level_;
    enter(DeviceStatus::ready);
    return kept;
  }

  /// It has cost the others their holder before.
  void leave_alone() {
    state_.problem = Problem{0, "left out, for its errors have ended the holder more than once",
                             "see the errors before; start the container anew once it is well"};
    enter(DeviceStatus::failed);
  }

  /// An error after which this process is of no more use.
  [[nodiscard]] const std::optional<Diagnosis>& fatal() const { return fatal_; }
  [[nodiscard]] const DeviceReport& state() const { return state_; }
  [[nodiscard]] bool failed() const { return state_.status == DeviceStatus::failed; }
  [[nodiscard]] const std::optional<Problem>& problem() const { return state_.problem; }

 private:
  void enter(DeviceStatus status) {
    state_.status = status;
    report_(state_);
  }

  /// A context of ours would lock the user out of an exclusive device, even for the 0.2 s of the
  /// warm-up, in which the user's own program may want it.
  bool compute_mode_allows() {
    if (device_.compute_mode == cuda::abi::CU_COMPUTEMODE_DEFAULT) return true;
    const bool exclusive = device_.compute_mode == cuda::abi::CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
    state_.level = HoldLevel::device;
    state_.problem = Problem{
        0, "compute mode " + state_.compute_mode,
        exclusive ? "one process at a time may use it, so it is left to the command: the driver is "
                    "held, the device is not verified"
                  : "no process may use it: nvidia-smi -c DEFAULT on the host allows it"};
    enter(exclusive ? DeviceStatus::ready : DeviceStatus::skipped);
    return false;
  }

  std::nullopt_t fail(const cuda::Error& error) {
    Diagnosis diagnosis = diagnose(error, driver_.path);
    state_.problem = diagnosis.problem;
    const bool skipped = diagnosis.response == Response::skip_device;
    if (skipped) state_.level = HoldLevel::device;
    const bool failed = diagnosis.response == Response::fail_device;
    if (!skipped && !failed) fatal_ = std::move(diagnosis);
    enter(skipped ? DeviceStatus::skipped : failed ? DeviceStatus::failed : DeviceStatus::lost);
    return std::nullopt;
  }

  const cuda::Driver& driver_;
  HoldLevel level_;
  const Reporter& report_;
  cuda::Device device_;
  DeviceReport state_;
  std::optional<Diagnosis> fatal_;
};

/// Loads and initialises the driver. An error of it as a whole can't be put down to one device.
std::optional<Diagnosis> start_driver(Held& held, const std::string& library,
                                      DriverReport& report) {
  auto begin = Clock::now();
  auto driver = cuda::Driver::load(library);
  if (!driver) return diagnose(driver.error(), library);
  report.seconds["load"] = seconds_since(begin);
  report.path = driver->path;
  report.simulated = driver->simulated;
  held.driver = std::make_unique<cuda::Driver>(std::move(*driver));

  begin = Clock::now();
  const auto result = held.driver->cuInit(0);
  if (result != cuda::abi::CUDA_SUCCESS) {
    auto diagnosis = diagnose(held.driver->error("cuInit", result), report.path);
    const bool of_device =
        diagnosis.response == Response::skip_device || diagnosis.response == Response::fail_device;
    if (of_device) diagnosis.response = Response::restart;
    return diagnosis;
  }
  report.seconds["init"] = seconds_since(begin);
  (void)held.driver->cuDriverGetVersion(&report.version);  // Cannot fail; 0 would show.
  return std::nullopt;
}

/// All devices at once, a thread each, or one by one; the reports of all are complete afterwards.
std::optional<Diagnosis> warm_all(Held& held, const BringUp& task,
                                  const std::vector<cuda::Device>& devices,
                                  const Reporter& report) {
  std::vector<std::unique_ptr<Warmer>> warmers;
  warmers.reserve(devices.size());
  for (const cuda::Device& device : devices)
    warmers.push_back(std::make_unique<Warmer>(held, task.level, report, device));
  held.contexts.resize(devices.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < warmers.size(); ++i) {
      const auto warm = [&, i] {
        if (task.skip.contains(devices[i].ordinal))
          warmers[i]->leave_alone();
        else
          held.contexts[i] = warmers[i]->run();
      };
      if (task.one_by_one) {
        warm();
        continue;
      }
      try {
        threads.emplace_back(warm);
      } catch (const std::system_error&) {
        warm();  // The limit of processes: one after the other, then.
      }
    }
  }
  bool all_failed = true;
  for (const auto& warmer : warmers) {
    held.reports.push_back(warmer->state());
    if (warmer->fatal()) return warmer->fatal();
    all_failed = all_failed && warmer->failed();
  }
  // With nothing to hold there is nothing to lose: a fresh process may find the devices well.
  if (all_failed) return Diagnosis{Response::restart, *warmers.front()->problem()};
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> bring_up(Held& held, const BringUp& task, const Reporter& report) {
  DriverReport driver_report;
  if (auto diagnosis = start_driver(held, task.driver_library, driver_report)) return diagnosis;
  auto devices = cuda::visible_devices(*held.driver);
  if (!devices) return diagnose(devices.error(), held.driver->path);
  if (devices->empty())
    return diagnose(held.driver->error("cuDeviceGetCount", cuda::abi::CUDA_ERROR_NO_DEVICE),
                    held.driver->path);
  driver_report.devices = static_cast<int>(devices->size());
  report(driver_report);
  return warm_all(held, task, *devices, report);
}

}  // namespace warminit::warm
