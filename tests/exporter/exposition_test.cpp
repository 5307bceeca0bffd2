#include "warminit/exporter/exposition.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

namespace warminit::exporter {
namespace {

using enum MetricType;

std::string written(MetricsFormat format, const std::function<void(Exposition&)>& write) {
  Exposition out(format);
  write(out);
  return std::move(out).finish();
}

/// The line of a sample with `value`.
std::string value_of(const nlohmann::json& value) {
  const std::string text = written(MetricsFormat::text, [&](Exposition& out) {
    out.family({"x", gauge, "", "X."});
    out.sample({}, value);
  });
  return text.empty() ? text : text.substr(text.rfind(' ') + 1);
}

TEST(OpenMetrics, NamesTheFamilyWithoutTheSuffixOfItsSamples) {
  EXPECT_EQ(written(MetricsFormat::openmetrics,
                    [](Exposition& out) {
                      out.family({"a_starts", counter, "", "Starts."});
                      out.sample({}, 2);
                      out.family({"a", info, "", "Versions."});
                      out.sample({{"version", "1"}}, 1);
                      out.family({"a_load_seconds", gauge, "seconds", "Time."});
                      out.sample({{"step", "x"}}, 0.5);
                      out.sample({{"step", "y"}}, 1.5);
                    }),
            "# HELP a_starts Starts.\n# TYPE a_starts counter\na_starts_total 2\n"
            "# HELP a Versions.\n# TYPE a info\na_info{version=\"1\"} 1\n"
            "# HELP a_load_seconds Time.\n# TYPE a_load_seconds gauge\n"
            "# UNIT a_load_seconds seconds\n"
            "a_load_seconds{step=\"x\"} 0.5\na_load_seconds{step=\"y\"} 1.5\n"
            "# EOF\n");
}

TEST(TextFormat, NamesTheSamplesAndKnowsNoInfoNoUnitNoEnd) {
  EXPECT_EQ(written(MetricsFormat::text,
                    [](Exposition& out) {
                      out.family({"a_starts", counter, "", "Starts."});
                      out.sample({}, 2);
                      out.family({"a", info, "", "Versions."});
                      out.sample({{"version", "1"}}, 1);
                      out.family({"a_load_seconds", gauge, "seconds", "Time."});
                      out.sample({}, 0.5);
                    }),
            "# HELP a_starts_total Starts.\n# TYPE a_starts_total counter\na_starts_total 2\n"
            "# HELP a_info Versions.\n# TYPE a_info gauge\na_info{version=\"1\"} 1\n"
            "# HELP a_load_seconds Time.\n# TYPE a_load_seconds gauge\na_load_seconds 0.5\n");
}

TEST(Exposition, DoesNotMentionAFamilyWithoutSamples) {
  const auto nothing = [](Exposition& out) {
    out.family({"a", gauge, "", "A."});
    out.sample({}, nullptr);
    out.family({"b", gauge, "", "B."});
  };
  EXPECT_EQ(written(MetricsFormat::openmetrics, nothing), "# EOF\n");
  EXPECT_EQ(written(MetricsFormat::text, nothing), "");
}

TEST(Exposition, EscapesTheValuesOfLabels) {
  EXPECT_EQ(written(MetricsFormat::text,
                    [](Exposition& out) {
                      out.family({"a", gauge, "", "A."});
                      out.sample({{"l", "q\" b\\ n\n {,}= \xc3\xa4"}, {"m", ""}}, 1);
                    }),
            "# HELP a A.\n# TYPE a gauge\n"
            "a{l=\"q\\\" b\\\\ n\\n {,}= \xc3\xa4\",m=\"\"} 1\n");
}

TEST(Exposition, WritesNumbersAsTheyAre) {
  EXPECT_EQ(value_of(0), "0\n");
  EXPECT_EQ(value_of(150754820096), "150754820096\n");
  EXPECT_EQ(value_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615\n");
  EXPECT_EQ(value_of(-1), "-1\n");
  EXPECT_EQ(value_of(0.1), "0.1\n");
  EXPECT_EQ(value_of(12.0), "12.0\n");
  EXPECT_EQ(value_of(2e-7), "2e-07\n");
  EXPECT_EQ(value_of(true), "1\n");
  EXPECT_EQ(value_of(false), "0\n");
}

TEST(Exposition, LeavesOutWhatIsNoNumber) {
  for (const nlohmann::json& value :
       {nlohmann::json("1"), nlohmann::json(nullptr), nlohmann::json::array({1}),
        nlohmann::json::object(), nlohmann::json(std::numeric_limits<double>::quiet_NaN()),
        nlohmann::json(std::numeric_limits<double>::infinity())})
    EXPECT_EQ(value_of(value), "") << value;
}

}  // namespace
}  // namespace warminit::exporter
