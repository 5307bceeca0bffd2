#include "warminit/exporter/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "exporter/samples.h"
#include "warminit/warm/report.h"

namespace warminit::exporter {
namespace {

using test::full_status;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const nlohmann::json& status) {
  return to_metrics(status, MetricsFormat::text);
}

TEST(Metrics, SayEverythingThatTheStatusHas) {
  const std::string text = text_of(full_status());
  for (const char* line : {
           "warminit_up 1",
           R"(warminit_info{version="0.1.0",driver_version="12.4",simulated="false"} 1)",
           "warminit_start_time_seconds 1700000000.5",
           "warminit_uptime_seconds 12.25",
           "warminit_orphans_reaped_total 4",
           "warminit_signals_forwarded_total 5",
           "warminit_ready 0",
           "warminit_holder_up 1",
           "warminit_holder_starts_total 2",
           "warminit_devices 2",
           R"(warminit_driver_step_seconds{step="init"} 0.25)",
           R"(warminit_driver_step_seconds{step="load"} 0.125)",
           R"(warminit_device_ready{uuid="GPU-a",ordinal="0"} 1)",
           R"(warminit_device_ready{uuid="GPU-b",ordinal="1"} 0)",
           R"(warminit_device_step_seconds{uuid="GPU-a",ordinal="0",step="retain"} 0.5)",
           R"(warminit_device_memory_bytes{uuid="GPU-a",ordinal="0"} 150754820096)",
           R"(warminit_device_memory_free_bytes{uuid="GPU-a",ordinal="0"} 1024)",
           R"(warminit_device_health_checks_total{uuid="GPU-a",ordinal="0",result="passed"} 3)",
           R"(warminit_device_health_checks_total{uuid="GPU-a",ordinal="0",result="failed"} 1)",
           R"(warminit_device_health_check_seconds{uuid="GPU-a",ordinal="0"} 0.0002)",
       })
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
}

TEST(Metrics, OfADeviceNameEveryStateAndSetOne) {
  const std::string text = text_of(full_status());
  for (const std::string_view state : kDeviceStates) {
    const auto line = [&](const char* device, const char* is) {
      return "warminit_device_state{" + std::string(device) + ",state=\"" + std::string(state) +
             "\"} " + (state == is ? "1\n" : "0\n");
    };
    EXPECT_THAT(text, HasSubstr(line(R"(uuid="GPU-a",ordinal="0")", "ready")));
    EXPECT_THAT(text, HasSubstr(line(R"(uuid="GPU-b",ordinal="1")", "failed")));
  }
}

TEST(Metrics, KnowTheSameStatesAsTheReport) {
  std::set<std::string_view> words;
  for (int status = 0; status <= static_cast<int>(warm::DeviceStatus::lost); ++status)
    words.insert(warm::to_string(static_cast<warm::DeviceStatus>(status)));
  EXPECT_EQ(words, std::set<std::string_view>(kDeviceStates.begin(), kDeviceStates.end()));
}

TEST(Metrics, SayThatPid1DoesNotAnswerAndNothingElse) {
  EXPECT_EQ(text_of(nullptr),
            "# HELP warminit_up Whether PID 1 answered.\n# TYPE warminit_up gauge\n"
            "warminit_up 0\n");
}

TEST(Metrics, LeaveOutEachFieldThatIsMissingOrOfAnotherType) {
  const auto status = full_status().flatten();
  for (const auto& [pointer, value] : status.items()) {
    auto without = full_status();
    auto other = full_status();
    other[nlohmann::json::json_pointer(pointer)] = nlohmann::json::array({"odd"});
    const nlohmann::json::json_pointer at(pointer);
    if (without[at.parent_pointer()].is_object()) without[at.parent_pointer()].erase(at.back());
    EXPECT_THAT(text_of(without), HasSubstr("warminit_up 1")) << pointer;
    EXPECT_THAT(text_of(other), AllOf(HasSubstr("warminit_up 1"), Not(HasSubstr("} ["))))
        << pointer;
  }
  EXPECT_THAT(text_of({{"devices", {1, "x", nullptr}}}), Not(HasSubstr("warminit_device_")));
}

TEST(Metrics, WithoutADriverOrHolderSaySo) {
  auto status = full_status();
  status["driver"] = nullptr;
  status["holder"]["pid"] = nullptr;
  status["devices"] = nlohmann::json::array();
  const std::string text = text_of(status);
  EXPECT_THAT(text, HasSubstr("warminit_info{version=\"0.1.0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("warminit_holder_up 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("warminit_device")));
}

/// What a scraper refuses: a family twice, samples of another family in between, no end.
TEST(Metrics, AreOneBlockPerFamilyInBothFormats) {
  for (const auto format : {MetricsFormat::openmetrics, MetricsFormat::text}) {
    const std::string text = to_metrics(full_status(), format);
    std::set<std::string> families;
    std::string family;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("# HELP ")) {
        family = line.substr(7, line.find(' ', 7) - 7);
        EXPECT_TRUE(families.insert(family).second) << family;
      }
      EXPECT_TRUE(line.starts_with("# ") || line.starts_with(family)) << line;
    }
    EXPECT_GT(families.size(), 15U);
  }
  EXPECT_THAT(to_metrics(full_status(), MetricsFormat::openmetrics), EndsWith("\n# EOF\n"));
}

}  // namespace
}  // namespace warminit::exporter
