#pragma once

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace warminit::init {

/// Logs one event of the life cycle. `event` is a stable word for programs that read the JSON log
/// ("ready", "exit", …); it travels as the function name of spdlog's source location, the only
/// field of a log record that is free for it.
template <typename... Args>
void log_event(spdlog::level::level_enum level, const char* event,
               fmt::format_string<Args...> format, Args&&... args) {
  spdlog::logger* log = spdlog::default_logger_raw();
  if (log == nullptr) return;  // Not configured, as in tests of parts.
  log->log(spdlog::source_loc{"", 1, event}, level, format, std::forward<Args>(args)...);
}

/// Runs `step`; if it throws, says so and goes on: PID 1 outlives its features.
template <typename Step>
void guard(const char* feature, Step step) {
  try {
    step();
  } catch (const std::exception& e) {
    log_event(spdlog::level::err, "error", "{} failed, ignoring: {}", feature, e.what());
  }
}

}  // namespace warminit::init
