#include "warminit/cli/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "os/child.h"
#include "os/full_pipe.h"
#include "warminit/init/log_event.h"

namespace warminit::cli {
namespace {

using init::log_event;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
namespace level = spdlog::level;

constexpr const char* kTime = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z";

/// What `body` logs, in a child.
std::string logged(const std::string& threshold, LogFormat format,
                   const std::function<void()>& body) {
  return test::stderr_of_child([&] {
    configure_log(threshold, format);
    body();
  });
}

TEST(Log, IsOneLineWithTimeLevelAndProcess) {
  const std::string text = logged("info", LogFormat::text, [] {
    log_event(level::info, "started", "started '{}' as pid {}", "prog", 12);
  });
  EXPECT_THAT(text, MatchesRegex(std::string(kTime) +
                                 " info warminit\\[[0-9]+\\]: started 'prog' as pid 12\n"));
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  struct Case {
    const char* threshold;
    int lines;
  };
  for (const auto& [threshold, lines] :
       {Case{"debug", 4}, Case{"info", 3}, Case{"warn", 2}, Case{"error", 1}, Case{"off", 0}}) {
    const std::string text = logged(threshold, LogFormat::text, [] {
      for (const auto each : {level::debug, level::info, level::warn, level::err})
        log_event(each, "event", "text");
    });
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), lines) << threshold;
  }
}

TEST(JsonLog, IsOneObjectALine) {
  const std::string text = logged("info", LogFormat::json, [] {
    log_event(level::warn, "problem", "GPU {}: \"quoted\"\nsecond line", 3);
  });
  ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  const json line = json::parse(text);
  EXPECT_THAT(line.at("time").get<std::string>(), MatchesRegex(kTime));
  EXPECT_EQ(line.at("level"), "warning");
  EXPECT_EQ(line.at("event"), "problem");
  EXPECT_EQ(line.at("message"), "GPU 3: \"quoted\"\nsecond line");
  EXPECT_EQ(line.size(), 4U);
}

TEST(JsonLog, NamesAnEventWithoutAWordLog) {
  const std::string text =
      logged("info", LogFormat::json, [] { spdlog::info("from somewhere else"); });
  EXPECT_EQ(json::parse(text).at("event"), "log");
}

TEST(JsonLog, IsUtf8WhateverTheMessage) {
  const std::string text = logged("info", LogFormat::json,
                                  [] { log_event(level::info, "device", "name {}", "\xff\xfe"); });
  EXPECT_EQ(json::parse(text).at("message"), "name \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(JsonLog, StaysJsonWhenALineIsCut) {
  const std::string text = logged("info", LogFormat::json, [] {
    log_event(level::info, "event", "{}", std::string(10000, '"'));
  });
  EXPECT_LT(text.size(), 4096U);
  EXPECT_TRUE(json::accept(text)) << text;
}

TEST(Log, CutsALineThatAPipeWouldNotTakeWhole) {
  const std::string text = logged("info", LogFormat::text, [] {
    log_event(level::info, "event", "{}", std::string(10000, 'x'));
    log_event(level::info, "event", "next");
  });
  const std::size_t end = text.find('\n');
  ASSERT_NE(end, std::string::npos);
  EXPECT_LT(end, 4096U);  // PIPE_BUF
  EXPECT_GT(end, 3000U);
  EXPECT_THAT(text.substr(0, end), EndsWith("..."));
  EXPECT_THAT(text.substr(end), EndsWith(": next\n"));
}

TEST(Guard, LogsAndGoesOn) {
  const std::string text = logged("info", LogFormat::text, [] {
    init::guard("the holder", [] { throw std::runtime_error("no memory"); });
    init::guard("the holder", [] {});
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, HasSubstr("error warminit"));
  EXPECT_THAT(text, HasSubstr("the holder failed, ignoring: no memory"));
}

TEST(Log, SaysHowManyLinesABlockedStderrHasCost) {
  test::in_child([] {
    test::FullPipe pipe;
    test::become_stderr(pipe.write_end.get());
    configure_log("info", LogFormat::text);
    log_event(level::info, "event", "lost");
    log_event(level::info, "event", "lost too");
    (void)pipe.drain();
    log_event(level::info, "event", "comes through");
    log_event(level::info, "event", "and so on");
    EXPECT_THAT(pipe.drain(), MatchesRegex(".* warning .*: stderr was blocked, lines dropped: 2\n"
                                           ".*: comes through\n.*: and so on\n"));
  });
}

}  // namespace
}  // namespace warminit::cli
