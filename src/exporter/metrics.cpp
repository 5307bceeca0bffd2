#include "warminit/exporter/metrics.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "warminit/exporter/field.h"

namespace warminit::exporter {
namespace {

using nlohmann::json;
using enum MetricType;

/// 13000 → "13.0", as the driver counts.
std::string cuda_version(const json& version) {
  if (!version.is_number_integer()) return "";
  const auto number = version.get<int>();
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

void add_value(Exposition& out, const Family& family, const json& value) {
  out.family(family);
  out.sample({}, value);
}

/// A sample for each entry of `object`, whose key becomes the label `name`.
void add_each(Exposition& out, Labels labels, std::string_view name, const json& object) {
  if (!object.is_object()) return;
  labels.emplace_back(name, "");
  for (const auto& [key, value] : object.items()) {
    labels.back().second = key;
    out.sample(labels, value);
  }
}

void add_init(Exposition& out, const json& status) {
  add_value(out, {"warminit_up", gauge, "", "Whether PID 1 answered."}, status.is_object());
  if (!status.is_object()) return;
  out.family({"warminit", info, "", "Versions of warminit and of the CUDA driver."});
  Labels labels{{"version", text_field(status, {"warminit"})}};
  if (const json driver = field(status, {"driver"}); driver.is_object()) {
    labels.emplace_back("driver_version", cuda_version(field(driver, {"version"})));
    labels.emplace_back("simulated", text_field(driver, {"simulated"}));
  }
  out.sample(labels, 1);
  add_value(out,
            {"warminit_start_time_seconds", gauge, "seconds", "When PID 1 started, Unix time."},
            field(status, {"start_time_seconds"}));
  add_value(out, {"warminit_uptime_seconds", gauge, "seconds", "How long PID 1 has been running."},
            field(status, {"uptime_seconds"}));
  add_value(out, {"warminit_orphans_reaped", counter, "", "Orphaned processes that PID 1 reaped."},
            field(status, {"init", "orphans_reaped"}));
  add_value(out, {"warminit_signals_forwarded", counter, "", "Signals passed on to the command."},
            field(status, {"init", "signals_forwarded"}));
  add_value(out, {"warminit_ready", gauge, "", "Whether every visible GPU is ready or skipped."},
            field(status, {"ready"}));
}

void add_holder(Exposition& out, const json& status) {
  const json holder = field(status, {"holder"});
  if (holder.is_object())
    add_value(out, {"warminit_holder_up", gauge, "", "Whether the holder process runs."},
              field(holder, {"pid"}).is_number());
  add_value(out, {"warminit_holder_starts", counter, "", "How often a holder process was started."},
            field(holder, {"starts"}));
  add_value(out, {"warminit_devices", gauge, "", "GPUs that the driver shows."},
            field(status, {"driver", "devices"}));
  out.family({"warminit_driver_step_seconds", gauge, "seconds", "Time to load the CUDA driver."});
  add_each(out, {}, "step", field(status, {"driver", "seconds"}));
}

/// Adds a family with whatever `add` makes of each device and its labels.
void add_per_device(Exposition& out, const json& status, const Family& family,
                    const std::function<void(const json&, Labels)>& add) {
  out.family(family);
  const json devices = field(status, {"devices"});
  if (!devices.is_array()) return;
  for (const json& device : devices)
    if (device.is_object())
      add(device,
          {{"uuid", text_field(device, {"uuid"})}, {"ordinal", text_field(device, {"ordinal"})}});
}

void add_device_states(Exposition& out, const json& status) {
  add_per_device(out, status, {"warminit_device_ready", gauge, "", "Whether the GPU is ready."},
                 [&](const json& device, const Labels& labels) {
                   const json state = field(device, {"status"});
                   if (state.is_string()) out.sample(labels, state == "ready");
                 });
  add_per_device(out, status,
                 {"warminit_device_state", gauge, "", "The state of the GPU: 1, all others 0."},
                 [&](const json& device, Labels labels) {
                   const json state = field(device, {"status"});
                   if (!state.is_string()) return;
                   labels.emplace_back("state", "");
                   for (const std::string_view each : kDeviceStates) {
                     labels.back().second = each;
                     out.sample(labels, state == each);
                   }
                 });
  add_per_device(out, status,
                 {"warminit_device_step_seconds", gauge, "seconds", "Time for a step of warm-up."},
                 [&](const json& device, const Labels& labels) {
                   add_each(out, labels, "step", field(device, {"seconds"}));
                 });
}

void add_device_values(Exposition& out, const json& status) {
  const auto value = [&](const Family& family, std::initializer_list<const char*> names) {
    add_per_device(out, status, family, [&](const json& device, const Labels& labels) {
      out.sample(labels, field(device, names));
    });
  };
  value({"warminit_device_memory_bytes", gauge, "bytes", "Memory of the GPU."}, {"memory_bytes"});
  value({"warminit_device_memory_free_bytes", gauge, "bytes", "Memory free at the last check."},
        {"memory", "free_bytes"});
  add_per_device(out, status,
                 {"warminit_device_health_checks", counter, "", "Checks of the ready GPU."},
                 [&](const json& device, const Labels& labels) {
                   for (const char* result : {"passed", "failed"}) {
                     Labels with_result = labels;
                     with_result.emplace_back("result", result);
                     out.sample(with_result, field(device, {"checks", result}));
                   }
                 });
  value(
      {"warminit_device_health_check_seconds", gauge, "seconds", "Time that the last check took."},
      {"checks", "last_seconds"});
}

}  // namespace

std::string to_metrics(const json& status, MetricsFormat format) {
  Exposition out(format);
  add_init(out, status);
  add_holder(out, status);
  add_device_states(out, status);
  add_device_values(out, status);
  return std::move(out).finish();
}

}  // namespace warminit::exporter
