#include "warminit/cuda/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cuda/simulated.h"

namespace warminit::cuda {
namespace {

using test::in_initialised_simulation;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr const char* kUuid = "-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

TEST(VisibleDevices, AreDescribedInFull) {
  in_initialised_simulation({{"SIMCUDA_MEMORY_MIB", "1000"}}, [](const Driver& driver) {
    auto devices = visible_devices(driver);
    ASSERT_TRUE(devices) << devices.error().what;
    ASSERT_EQ(devices->size(), 1U);
    const Device& device = devices->front();
    EXPECT_EQ(device.ordinal, 0);
    EXPECT_THAT(device.uuid, MatchesRegex(std::string("GPU") + kUuid));
    EXPECT_FALSE(device.name.empty());
    EXPECT_THAT(device.pci_bus_id, MatchesRegex("[0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+\\.[0-7]"));
    EXPECT_EQ(device.memory_bytes, 1000ULL << 20U);
    EXPECT_EQ(device.compute_mode, abi::CU_COMPUTEMODE_DEFAULT);
    EXPECT_GE(device.capability_major, 5);
    EXPECT_FALSE(device.mig);
  });
}

TEST(VisibleDevices, AreInTheOrderOfTheirOrdinalsAndDiffer) {
  in_initialised_simulation({{"SIMCUDA_DEVICES", "8"}}, [](const Driver& driver) {
    auto devices = visible_devices(driver);
    ASSERT_TRUE(devices) << devices.error().what;
    std::set<std::string> uuids;
    std::set<std::string> buses;
    for (int i = 0; i < 8; ++i) {
      const Device& device = devices->at(static_cast<std::size_t>(i));
      EXPECT_EQ(device.ordinal, i);
      uuids.insert(device.uuid);
      buses.insert(device.pci_bus_id);
    }
    EXPECT_EQ(uuids.size(), 8U);
    EXPECT_EQ(buses.size(), 8U);
  });
}

TEST(VisibleDevices, ShowTheirComputeModes) {
  in_initialised_simulation(
      {{"SIMCUDA_DEVICES", "3"}, {"SIMCUDA_COMPUTE_MODE", "default,exclusive,prohibited"}},
      [](const Driver& driver) {
        auto devices = visible_devices(driver);
        ASSERT_TRUE(devices) << devices.error().what;
        EXPECT_EQ(devices->at(0).compute_mode, abi::CU_COMPUTEMODE_DEFAULT);
        EXPECT_EQ(devices->at(1).compute_mode, abi::CU_COMPUTEMODE_EXCLUSIVE_PROCESS);
        EXPECT_EQ(devices->at(2).compute_mode, abi::CU_COMPUTEMODE_PROHIBITED);
      });
}

TEST(VisibleDevices, GiveTheUuidOfTheMigInstance) {
  in_initialised_simulation({{"SIMCUDA_MIG", "1"}}, [](const Driver& driver) {
    auto devices = visible_devices(driver);
    ASSERT_TRUE(devices) << devices.error().what;
    ASSERT_EQ(devices->size(), 1U);
    EXPECT_TRUE(devices->front().mig);
    EXPECT_THAT(devices->front().uuid, MatchesRegex(std::string("MIG") + kUuid));
  });
}

TEST(VisibleDevices, OfADriverBefore11_4HaveTheUuidOfTheGpu) {
  in_initialised_simulation({{"SIMCUDA_MIG", "1"}}, [](const Driver& driver) {
    Driver old = driver;
    old.cuDeviceGetUuid_v2 = nullptr;
    auto devices = visible_devices(old);
    ASSERT_TRUE(devices) << devices.error().what;
    EXPECT_FALSE(devices->front().mig);
    EXPECT_THAT(devices->front().uuid, StartsWith("GPU-"));
  });
}

TEST(VisibleDevices, NameTheQueryThatFailed) {
  for (const std::string function :
       {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetUuid", "cuDeviceGetUuid_v2",
        "cuDeviceGetName", "cuDeviceGetPCIBusId", "cuDeviceTotalMem", "cuDeviceGetAttribute"})
    in_initialised_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_FAIL", function + ":304:1"}},
                              [&function](const Driver& driver) {
                                const auto devices = visible_devices(driver);
                                ASSERT_FALSE(devices) << function;
                                EXPECT_EQ(devices.error().code, abi::CUDA_ERROR_OPERATING_SYSTEM);
                                EXPECT_THAT(devices.error().what,
                                            StartsWith(function + ": CUDA_ERROR_OPERATING_SYSTEM"));
                              });
}

TEST(ComputeModeName, IsThatOfNvidiaSmi) {
  EXPECT_EQ(compute_mode_name(abi::CU_COMPUTEMODE_DEFAULT), "Default");
  EXPECT_EQ(compute_mode_name(abi::CU_COMPUTEMODE_PROHIBITED), "Prohibited");
  EXPECT_EQ(compute_mode_name(abi::CU_COMPUTEMODE_EXCLUSIVE_PROCESS), "Exclusive_Process");
  EXPECT_EQ(compute_mode_name(1), "compute mode 1");  // Exclusive_Thread, until CUDA 8.
}

}  // namespace
}  // namespace warminit::cuda
