#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "warminit/warm/report.h"

namespace warminit::warm {

/// How far the container's GPUs are, as one word.
enum class Readiness {
  pending,  ///< Some device is still on its way, or is being released.
  ready,    ///< Every visible device is ready or skipped for a stated cause; at least one is ready.
  partial,  ///< Settled: some devices are ready, others failed.
  not_ready,  ///< Settled, and no device is ready.
  released,   ///< Given back on request; nothing is held.
};

std::string_view to_string(Readiness readiness);

/// What is known about the holder and the devices: one object, written only by what the holder
/// reports and by how it starts and ends. Status and readiness are pure functions of it.
class State {
 public:
  /// The holder has been started: nothing is known until it reports.
  void holder_started();

  /// The holder is gone and with it everything it held; `why` says how.
  void holder_ended(const Problem& why, bool will_restart);

  /// The holder has been told to give everything back: nobody shall count on it any more.
  void holder_releasing();

  /// It has done so.
  void holder_released();

  /// Takes in a report of the holder.
  void apply(const Report& report);

  [[nodiscard]] Readiness readiness() const;

  /// Whether the holder has more to say by itself soon. One that is pending because a device file
  /// has gone has not: it looks again when it is time, and may be silent until then.
  [[nodiscard]] bool expects_report() const;

  /// How many devices are in `status` now.
  [[nodiscard]] std::size_t count(DeviceStatus status) const;

  [[nodiscard]] const std::optional<DriverReport>& driver() const { return driver_; }
  [[nodiscard]] const std::map<int, DeviceReport>& devices() const { return devices_; }
  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }

 private:
  enum class Holder {
    expected,    ///< It runs, or is about to.
    restarting,  ///< It has ended and will be started again.
    given_up,    ///< It has ended for good.
    releasing,   ///< It has been told to give everything back.
    released,    ///< It has done so, and ended.
  };

  Holder holder_ = Holder::expected;
  std::optional<DriverReport> driver_;
  std::map<int, DeviceReport> devices_;  ///< By ordinal.
  std::optional<Problem> problem_;       ///< Of the holder as a whole.
};

}  // namespace warminit::warm
