#include "warminit/warm/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "warm/samples.h"

namespace warminit::warm {
namespace {

using test::full_device;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

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

TEST(Report, OfADeviceBringsItsChecksAndItsMemory) {
  DeviceReport report = full_device();
  EXPECT_FALSE(round_trip(report).memory);
  report.checks = {std::uint64_t{1} << 40, 3, 0.25};
  report.memory = {std::uint64_t{1} << 36, std::uint64_t{1} << 37};
  const DeviceReport read = round_trip(report);
  EXPECT_EQ(read.checks.passed, std::uint64_t{1} << 40);
  EXPECT_EQ(read.checks.failed, 3U);
  EXPECT_EQ(read.checks.last_seconds, 0.25);
  ASSERT_TRUE(read.memory);
  EXPECT_EQ(read.memory->free_bytes, std::uint64_t{1} << 36);
  EXPECT_EQ(read.memory->total_bytes, std::uint64_t{1} << 37);
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

}  // namespace
}  // namespace warminit::warm
