#include "warminit/cli/log.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "warminit/os/stderr_writer.h"

namespace warminit::cli {
namespace {

/// Less than PIPE_BUF, so that a pipe takes a line whole or not at all.
constexpr std::size_t kMostLineBytes = 4000;

class StderrSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (dropped_ > 0) {
      const std::string note = fmt::format("stderr was blocked, lines dropped: {}", dropped_);
      spdlog::details::log_msg about = message;
      about.level = spdlog::level::warn;
      about.source.funcname = "dropped";
      about.payload = note;
      if (writer_.write(formatted(about))) dropped_ = 0;
    }
    if (!writer_.write(formatted(message))) ++dropped_;
  }
  void flush_() override {}

 private:
  /// The message as one line that is short enough, cut in its text where it is not.
  std::string formatted(const spdlog::details::log_msg& message) {
    spdlog::details::log_msg shorter = message;
    std::string cut;
    for (;;) {
      spdlog::memory_buf_t line;
      formatter_->format(shorter, line);
      if (line.size() <= kMostLineBytes || shorter.payload.size() < 8)
        return {line.data(), line.size()};
      // By what is too much, or, where escapes make much of little, by a part.
      const std::size_t size = cut.empty() ? message.payload.size() : cut.size() - 3;
      const std::size_t excess = std::max(line.size() - kMostLineBytes + 3, size / 16);
      cut = std::string(message.payload.data(), size > excess ? size - excess : 0) + "...";
      shorter.payload = cut;
    }
  }

  os::StderrWriter writer_;
  std::uint64_t dropped_ = 0;  ///< Lines that the log has not mentioned yet.
};

/// One JSON object a line: time, level, event and message.
class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    const auto level = spdlog::level::to_string_view(message.level);
    const nlohmann::ordered_json json{
        {"time", std::string(time.data(), time.size())},
        {"level", std::string(level.data(), level.size())},
        {"event", message.source.empty() ? "log" : message.source.funcname},
        {"message", std::string(message.payload.data(), message.payload.size())}};
    const std::string text =
        json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    line.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%eZ", spdlog::pattern_time_type::utc, ""};
};

}  // namespace

void configure_log(const std::string& level, LogFormat format) {
  auto logger = std::make_shared<spdlog::logger>("warminit", std::make_shared<StderrSink>());
  logger->set_level(spdlog::level::from_str(level));
  if (format == LogFormat::json)
    logger->set_formatter(std::make_unique<JsonFormatter>());
  else
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l warminit[%P]: %v",
                        spdlog::pattern_time_type::utc);
  // A failure to log is not worth a word: there is nowhere to say it.
  logger->set_error_handler([](const std::string&) {});
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace warminit::cli
