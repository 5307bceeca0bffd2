#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

/// The first bytes of the UUIDs of devices 0 to 3.
constexpr unsigned char kFirstByte[] = {0x5C, 0x4F, 0x9B, 0xE1};
const std::string kUuid0 = "5cb7f26c-39a8-40e2-b465-b9a16a9e786e";
const std::string kUuid1 = "4f450980-185d-4406-ac81-4c72a8b88bf8";
const std::string kMigUuid = "ffd905fd-e26c-4a1e-8695-036ce123e844";

struct Case {
  std::string value;
  std::vector<unsigned> visible;  ///< Empty: cuInit answers `result`.
  abi::CUresult result = abi::CUDA_SUCCESS;
};

void PrintTo(const Case& tried, std::ostream* out) { *out << "'" << tried.value << "'"; }

void expect_visible(const Environment& switches, const Case& tried) {
  simulate(switches, [&tried](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), tried.result);
    int count = 0;
    (void)driver.cuDeviceGetCount(&count);  // Not initialised where none is visible.
    ASSERT_EQ(static_cast<std::size_t>(count), tried.visible.size());
    for (int i = 0; i < count; ++i) {
      abi::CUuuid uuid{};
      ASSERT_EQ(driver.cuDeviceGetUuid(&uuid, i), abi::CUDA_SUCCESS);
      EXPECT_EQ(uuid.bytes[0], kFirstByte[tried.visible[static_cast<std::size_t>(i)]]);
    }
  });
}

constexpr abi::CUresult kNone = abi::CUDA_ERROR_NO_DEVICE;
constexpr abi::CUresult kInvalid = abi::CUDA_ERROR_INVALID_DEVICE;

class VisibleDevicesOfOneGpu : public ::testing::TestWithParam<Case> {};

TEST_P(VisibleDevicesOfOneGpu, AreThoseOfTheRealDriver) {
  expect_visible({{"CUDA_VISIBLE_DEVICES", GetParam().value}}, GetParam());
}

/// Measured on CUDA 13 with one GPU.
INSTANTIATE_TEST_SUITE_P(
    Measured, VisibleDevicesOfOneGpu,
    ::testing::Values(Case{"0", {0}}, Case{"00", {0}}, Case{"+0", {0}}, Case{"0x0", {0}},
                      Case{" 0", {0}}, Case{"0 ", {0}}, Case{"0abc", {0}}, Case{"0;1", {0}},
                      Case{"", {}, kNone}, Case{"-1", {}, kNone}, Case{"a", {}, kNone},
                      Case{"NoDevFiles", {}, kNone}, Case{"0,7", {0}}, Case{"0,-1", {0}},
                      Case{"0,,1", {0}}, Case{"7,0", {}, kNone}, Case{",0", {}, kNone},
                      Case{"GPU-" + kUuid0, {0}}, Case{"GPU-5cb7f26c", {0}},
                      Case{"GPU-deadbeef", {}, kNone}, Case{"GPU-", {}, kNone},
                      Case{kUuid0, {}, kNone}, Case{"MIG-GPU-" + kUuid0 + "/0/0", {}, kNone},
                      Case{"0,0", {}, kInvalid}));

class VisibleDevicesOfFourGpus : public ::testing::TestWithParam<Case> {};

TEST_P(VisibleDevicesOfFourGpus, AreThoseOfTheRealDriver) {
  expect_visible({{"SIMCUDA_DEVICES", "4"}, {"CUDA_VISIBLE_DEVICES", GetParam().value}},
                 GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Derived, VisibleDevicesOfFourGpus,
    ::testing::Values(Case{"1,0", {1, 0}}, Case{"0,1,7", {0, 1}}, Case{"3,2,1,0", {3, 2, 1, 0}},
                      Case{"0,1,7,2", {0, 1}}, Case{"1,1", {}, kInvalid},
                      Case{"2,0,2", {}, kInvalid}, Case{"0,7,0", {0}}, Case{"4", {}, kNone},
                      Case{"99999999999999999999", {}, kNone}, Case{"0x3", {3}},
                      Case{"GPU-" + kUuid1 + ",0", {1, 0}}, Case{"GPU-4f,GPU-5cb7f26c", {1, 0}},
                      Case{"0,GPU-5cb7f26c", {}, kInvalid}, Case{"MIG-" + kMigUuid, {}, kNone}));

TEST(VisibleDevices, AreAllIfTheVariableIsNotSet) {
  expect_visible({{"SIMCUDA_DEVICES", "4"}}, Case{"", {0, 1, 2, 3}});
}

TEST(VisibleDevices, AreReadAgainIfCuInitFailed) {
  simulate({{"CUDA_VISIBLE_DEVICES", "7"}}, [](const Driver& driver) {
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_NO_DEVICE);
    ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  });
}

TEST(VisibleDevices, MayBeNamedByTheUuidOfAMigInstance) {
  expect_visible({{"SIMCUDA_MIG", "1"}, {"CUDA_VISIBLE_DEVICES", "MIG-" + kMigUuid}},
                 Case{"", {0}});
}

}  // namespace
}  // namespace warminit::simcuda_test
