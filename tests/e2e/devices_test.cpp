#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"

namespace warminit::test {
namespace {

TEST(Devices, AsJsonNameEachByItsUuid) {
  Process process({.argv = {WARMINIT_BINARY, "devices", "--json"},
                   .environment = simulated({{"SIMCUDA_DEVICES", "2"}})});
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto json = nlohmann::json::parse(process.out());
  EXPECT_EQ(json.at("driver").at("simulated"), true);
  EXPECT_EQ(json.at("driver").at("cuda_version"), 13000);
  ASSERT_EQ(json.at("devices").size(), 2U);
  EXPECT_EQ(json.at("devices")[0].at("name"), "Simulated GPU");
  EXPECT_EQ(json.at("devices")[0].at("uuid").get<std::string>().substr(0, 12), "GPU-5cb7f26c");
  EXPECT_NE(json.at("devices")[0].at("uuid"), json.at("devices")[1].at("uuid"));
}

TEST(Devices, AsTableSayThatTheyAreSimulated) {
  Process process({.argv = {WARMINIT_BINARY, "devices"}, .environment = simulated()});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_NE(process.out().find("(SIMULATED)"), std::string::npos);
}

TEST(Devices, OfMigAreShownAsSuch) {
  Process process({.argv = {WARMINIT_BINARY, "devices", "--json"},
                   .environment = simulated({{"SIMCUDA_MIG", "1"}})});
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto device = nlohmann::json::parse(process.out()).at("devices").at(0);
  EXPECT_EQ(device.at("mig"), true);
  EXPECT_EQ(device.at("uuid").get<std::string>().substr(0, 4), "MIG-");
}

TEST(Devices, ThatAreHiddenAreExplainedInOneLine) {
  Process process({.argv = {WARMINIT_BINARY, "devices"},
                   .environment = simulated({{"CUDA_VISIBLE_DEVICES", "-1"}})});
  EXPECT_EQ(process.wait(), 1);
  EXPECT_NE(process.err().find("hidden by CUDA_VISIBLE_DEVICES='-1'"), std::string::npos)
      << process.err();
  EXPECT_EQ(count(process.err(), "\n"), 1);
}

TEST(Devices, OfADriverThatHangsAreNotWaitedForLongerThanSaid) {
  Process process({.argv = {WARMINIT_BINARY, "devices", "--init-timeout=100ms"},
                   .environment = simulated({{"SIMCUDA_HANG", "cuInit"}})});
  EXPECT_EQ(process.wait(), 1);
  EXPECT_EQ(count(process.err(), "the driver has not answered for 100 ms"), 1) << process.err();
}

TEST(Devices, WithoutADriverAreExplainedInOneLine) {
  Process process({.argv = {WARMINIT_BINARY, "devices", "--driver-library=/no/such/library"}});
  EXPECT_EQ(process.wait(), 1);
  EXPECT_NE(process.err().find("check --driver-library"), std::string::npos);
}

}  // namespace
}  // namespace warminit::test
