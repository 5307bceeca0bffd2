#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "warm/samples.h"
#include "warminit/warm/report.h"

/// What is no report. Init reads what comes, and the other side may be out of its mind.
namespace warminit::warm {
namespace {

using nlohmann::json;
using test::full_device;

TEST(BadReport, IsNotReadFromGarbage) {
  for (const char* line : {"",
                           " ",
                           "x",
                           "{",
                           "{}",
                           "[]",
                           "null",
                           "17",
                           "\"driver\"",
                           "{\"driver\":",
                           "{\"driver\":{}}",
                           "{\"driver\":null}",
                           "{\"driver\":[]}",
                           "{\"pilot\":{}}",
                           "{\"driver\":{},\"device\":{}}",
                           "{\"device\":{\"ordinal\":0}}",
                           "\xff\xfe",
                           "{\"holder\":{\"problem\":{}}}",
                           "{\"holder\":\"end\"}",
                           "libcuda: some message"})
    EXPECT_FALSE(from_line(line)) << line;
  const std::string line = to_line(full_device());
  EXPECT_FALSE(from_line(line + line));
  EXPECT_FALSE(from_line(line.substr(0, line.size() / 2)));
  EXPECT_FALSE(from_line(std::string(60000, '[')));
}

/// A good report of a device, with one field changed.
std::string with(const std::string& field, const json& value) {
  json report = json::parse(to_line(full_device()));
  report["device"][field] = value;
  return report.dump();
}

TEST(BadReport, IsNotReadWithAFieldOfAnotherType) {
  ASSERT_TRUE(from_line(with("ordinal", 1)));
  EXPECT_FALSE(from_line(with("ordinal", "1")));
  EXPECT_FALSE(from_line(with("uuid", 1)));
  EXPECT_FALSE(from_line(with("name", nullptr)));
  EXPECT_FALSE(from_line(with("memory_bytes", "many")));
  EXPECT_FALSE(from_line(with("mig", 1)));
  EXPECT_FALSE(from_line(with("status", 3)));
  EXPECT_FALSE(from_line(with("status", "fine")));
  EXPECT_FALSE(from_line(with("status", "")));
  EXPECT_FALSE(from_line(with("level", "all")));
  EXPECT_FALSE(from_line(with("seconds", "soon")));
  EXPECT_FALSE(from_line(with("seconds", {{"retain", "soon"}})));
  EXPECT_FALSE(from_line(with("problem", "bad")));
  for (const json& bad : {json(7), json::object(), json{{"free_bytes", -1}, {"total_bytes", 1}},
                          json{{"free_bytes", 1}, {"total_bytes", "1"}}})
    EXPECT_FALSE(from_line(with("memory", bad))) << bad;
  for (const json& bad : {json(7), json::object(), json{{"passed", 1.5}, {"failed", 0}},
                          json{{"passed", 1}, {"failed", 0}, {"last_seconds", "1"}}})
    EXPECT_FALSE(from_line(with("checks", bad))) << bad;
  EXPECT_FALSE(from_line(with("problem", nullptr)));
}

TEST(BadReport, IsNotReadWithANumberOutOfItsRange) {
  EXPECT_FALSE(from_line(with("ordinal", 4294967296)));  // Would be device 0.
  EXPECT_FALSE(from_line(with("ordinal", 0.5)));
  EXPECT_FALSE(from_line(with("memory_bytes", -1)));
  for (const double seconds : {-1.0, 1e300}) {
    const HolderReport report{{}, false, seconds};  // Both would be cast to nanoseconds.
    EXPECT_FALSE(from_line(to_line(report))) << seconds;
  }
}

TEST(BadReport, IsNotReadWithoutAField) {
  const json whole = json::parse(to_line(full_device()));
  for (const auto& [name, value] : whole["device"].items()) {
    json report = whole;
    report["device"].erase(name);
    EXPECT_EQ(from_line(report.dump()).has_value(), name == "problem") << name;
  }
}

TEST(BadReport, IsNotOneThatSaysMore) { EXPECT_TRUE(from_line(with("temperature", 45))); }

}  // namespace
}  // namespace warminit::warm
