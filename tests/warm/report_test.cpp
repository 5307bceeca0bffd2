#include "warminit/warm/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace warminit::warm {
namespace {

using nlohmann::json;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

DeviceReport full_device() {
  DeviceReport report;
  report.ordinal = 3;
  report.uuid = "MIG-5cb7f26c";
  report.name = "NVIDIA H200";
  report.pci_bus_id = "00000000:01:00.0";
  report.memory_bytes = 150754820096;  // More than 32 bits.
  report.compute_mode = "Exclusive_Process";
  report.mig = true;
  report.status = DeviceStatus::skipped;
  report.level = HoldLevel::device;
  report.seconds = {{"retain", 0.125}, {"launch", 1e-6}};
  report.problem = Problem{2, "cuDevicePrimaryCtxRetain: why", "what to do"};
  return report;
}

/// `report` as it comes out on the other side.
template <typename T>
T round_trip(const T& report) {
  const std::string line = to_line(report);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  const auto read = from_line(std::string_view(line).substr(0, line.size() - 1));
  if (read && std::holds_alternative<T>(*read)) return std::get<T>(*read);
  ADD_FAILURE() << "not read back: " << line;
  return {};
}

TEST(Report, OfTheDriverComesThrough) {
  const DriverReport report{"/usr/lib/libcuda.so.1", 13000, true, 8, {{"load", 0.5}, {"init", 0}}};
  const DriverReport read = round_trip(report);
  EXPECT_EQ(read.path, report.path);
  EXPECT_EQ(read.version, 13000);
  EXPECT_TRUE(read.simulated);
  EXPECT_EQ(read.devices, 8);
  EXPECT_THAT(read.seconds, UnorderedElementsAre(Pair("load", 0.5), Pair("init", 0.0)));
}

TEST(Report, OfADeviceComesThrough) {
  const DeviceReport report = full_device();
  const DeviceReport read = round_trip(report);
  EXPECT_EQ(read.ordinal, report.ordinal);
  EXPECT_EQ(read.uuid, report.uuid);
  EXPECT_EQ(read.name, report.name);
  EXPECT_EQ(read.pci_bus_id, report.pci_bus_id);
  EXPECT_EQ(read.memory_bytes, report.memory_bytes);
  EXPECT_EQ(read.compute_mode, report.compute_mode);
  EXPECT_TRUE(read.mig);
  EXPECT_EQ(read.status, report.status);
  EXPECT_EQ(read.level, report.level);
  EXPECT_EQ(read.seconds, report.seconds);
  ASSERT_TRUE(read.problem);
  EXPECT_EQ(read.problem->code, 2);
  EXPECT_EQ(read.problem->reason, report.problem->reason);
  EXPECT_EQ(read.problem->remedy, report.problem->remedy);
}

TEST(Report, OfADeviceWithoutAProblemHasNone) {
  DeviceReport report = full_device();
  report.problem.reset();
  EXPECT_FALSE(round_trip(report).problem);
}

TEST(Report, OfTheHolderComesThrough) {
  const HolderReport report{{802, "cuInit: not ready", "wait"}, true, 1.5};
  const HolderReport read = round_trip(report);
  EXPECT_EQ(read.problem.code, 802);
  EXPECT_EQ(read.problem.reason, "cuInit: not ready");
  EXPECT_EQ(read.problem.remedy, "wait");
  EXPECT_TRUE(read.permanent);
  EXPECT_EQ(read.retry_in_seconds, 1.5);
}

TEST(Report, KeepsEachWord) {
  DeviceReport report = full_device();
  for (const auto status : {DeviceStatus::waiting, DeviceStatus::initialising,
                            DeviceStatus::warming, DeviceStatus::ready, DeviceStatus::skipped,
                            DeviceStatus::failed, DeviceStatus::released, DeviceStatus::lost}) {
    report.status = status;
    EXPECT_EQ(round_trip(report).status, status) << to_string(status);
  }
  for (const auto level : {HoldLevel::context, HoldLevel::device, HoldLevel::off}) {
    report.level = level;
    EXPECT_EQ(round_trip(report).level, level) << to_string(level);
  }
}

TEST(Report, IsOneLineWhateverItsTextHolds) {
  DeviceReport report = full_device();
  report.name = "two\nlines \"quoted\" \\ \t and a zero: ";
  report.name.push_back('\0');
  EXPECT_EQ(round_trip(report).name, report.name);
}

TEST(Report, SurvivesTextThatIsNotUtf8) {
  DeviceReport report = full_device();
  report.name = "H200 \xff\xfe x";
  EXPECT_EQ(round_trip(report).name, "H200 \xEF\xBF\xBD\xEF\xBF\xBD x");  // U+FFFD for each.
  EXPECT_EQ(round_trip(report).uuid, report.uuid);
}

TEST(Report, IsNotReadFromGarbage) {
  for (const char* line :
       {"", " ", "x", "{", "{}", "[]", "null", "17", "\"driver\"",
        "{\"driver\":", "{\"driver\":{}}", "{\"driver\":null}", "{\"driver\":[]}", "{\"pilot\":{}}",
        "{\"device\":{\"ordinal\":0}}", "\xff\xfe", "{\"holder\":{\"problem\":{}}}",
        "{\"holder\":\"end\"}", "libcuda: some message"})
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

TEST(Report, IsNotReadWithAFieldOfAnotherType) {
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
  EXPECT_FALSE(from_line(with("problem", nullptr)));
}

TEST(Report, DISABLED_IsNotReadWithANumberOutOfItsRange) {
  EXPECT_FALSE(from_line(with("ordinal", 4294967296)));  // Would be device 0.
  EXPECT_FALSE(from_line(with("ordinal", 0.5)));
  EXPECT_FALSE(from_line(with("memory_bytes", -1)));
  for (const double seconds : {-1.0, 1e300}) {
    const HolderReport report{{}, false, seconds};  // Both would be cast to nanoseconds.
    EXPECT_FALSE(from_line(to_line(report))) << seconds;
  }
}

TEST(Report, IsNotReadWithoutAField) {
  const json whole = json::parse(to_line(full_device()));
  for (const auto& [name, value] : whole["device"].items()) {
    json report = whole;
    report["device"].erase(name);
    EXPECT_EQ(from_line(report.dump()).has_value(), name == "problem") << name;
  }
}

TEST(Report, IsReadFromANewerHolderThatSaysMore) {
  EXPECT_TRUE(from_line(with("temperature", 45)));
  EXPECT_FALSE(from_line(R"({"driver":{},"device":{}})"));
}

}  // namespace
}  // namespace warminit::warm
