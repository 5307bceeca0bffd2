#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct BadValue {
  const char* name;
  const char* value;
  const char* complaint;
};

void PrintTo(const BadValue& bad, std::ostream* out) { *out << bad.name << "=" << bad.value; }

class BadSwitch : public ::testing::TestWithParam<BadValue> {};

TEST_P(BadSwitch, IsSaidOnceAndFailsCuInit) {
  const BadValue bad = GetParam();
  const std::string said = simulate({{bad.name, bad.value}}, [](const Driver& driver) {
    int version = 0;
    EXPECT_EQ(driver.cuDriverGetVersion(&version), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuDeviceGetCount(&version), abi::CUDA_ERROR_NOT_INITIALIZED);
  });
  EXPECT_EQ(said, std::string("simcuda: ") + bad.name + ": " + bad.complaint + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSwitch,
    ::testing::Values(
        BadValue{"SIMCUDA_DEVICES", "abc", "'abc' is not a number from 0 to 64"},
        BadValue{"SIMCUDA_DEVICES", "65", "'65' is not a number from 0 to 64"},
        BadValue{"SIMCUDA_DEVICES", "-1", "'-1' is not a number from 0 to 64"},
        BadValue{"SIMCUDA_INIT_MS", "1s", "'1s' is not a number from 0 to 3600000"},
        BadValue{"SIMCUDA_CONTEXT_MS", " 1", "' 1' is not a number from 0 to 3600000"},
        BadValue{"SIMCUDA_MEMORY_MIB", "0", "'0' is not a number from 1 to 16777216"},
        BadValue{"SIMCUDA_COMPUTE_MODE", "default,shared",
                 "'shared' is not default, exclusive or prohibited"},
        BadValue{"SIMCUDA_MIG", "yes", "'yes' is not a number from 0 to 1"},
        BadValue{"SIMCUDA_WRONG_RESULT", "64", "'64' is not a device from 0 to 63"},
        BadValue{"SIMCUDA_STICKY_AFTER_MS", "x", "'x' is not a number from 0 to 3600000"},
        BadValue{"SIMCUDA_HANG_AFTER_MS", "x", "'x' is not a number from 0 to 3600000"},
        BadValue{"SIMCUDA_DRIVER_VERSION", "13.0", "'13.0' is not a number from 1000 to 999999"},
        BadValue{"SIMCUDA_FAIL", "cuInit", "'cuInit' is not function:code[:device[:times]]"},
        BadValue{"SIMCUDA_FAIL", "cuInit:1:0:1:1",
                 "'cuInit:1:0:1:1' is not function:code[:device[:times]]"},
        BadValue{"SIMCUDA_FAIL", "cuInit:0", "'0' is not an error code from 1 to 9999"},
        BadValue{"SIMCUDA_FAIL", "cuInit:1:gpu", "'gpu' is not a device from 0 to 63 or *"},
        BadValue{"SIMCUDA_FAIL", "cuInit:1::0", "'0' is not a number of times from 1 to 1000000"},
        BadValue{"SIMCUDA_FAIL", "cuInit:1,", "'' is not function:code[:device[:times]]"},
        BadValue{"SIMCUDA_HANG", "cuMemAlloc_v2",
                 "'cuMemAlloc_v2' is not a driver function that the simulation has"},
        BadValue{"SIMCUDA_CRASH", "cuInit:0:1:1",
                 "'cuInit:0:1:1' is not function[:device[:times]]"}));

TEST(Switches, OfAnEmptyValueAreNotSet) {
  const Environment switches = {{"SIMCUDA_DEVICES", ""}, {"SIMCUDA_COMPUTE_MODE", ""},
                                {"SIMCUDA_FAIL", ""},    {"SIMCUDA_WRONG_RESULT", ""},
                                {"SIMCUDA_SHARED", ""},  {"SIMCUDA_STICKY_AFTER_MS", ""}};
  const std::string said = simulate(switches, [](const Driver& driver) {
    enter(driver);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
  });
  EXPECT_EQ(said, "");
}

TEST(Switches, CanTakeAllDevicesAway) {
  simulate({{"SIMCUDA_DEVICES", "0"}},
           [](const Driver& driver) { EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_NO_DEVICE); });
}

TEST(Switches, SetTheDriverVersion) {
  simulate({{"SIMCUDA_DRIVER_VERSION", "11040"}}, [](const Driver& driver) {
    int version = 0;
    EXPECT_EQ(driver.cuDriverGetVersion(&version), abi::CUDA_SUCCESS);
    EXPECT_EQ(version, 11040);
    EXPECT_EQ(driver.cuDriverGetVersion(nullptr), abi::CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Switches, SetTheTimeThatCuInitTakesOnce) {
  simulate({{"SIMCUDA_INIT_MS", "300"}}, [](const Driver& driver) {
    const auto start = steady_clock::now();
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    const auto first = steady_clock::now();
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    EXPECT_GE(first - start, milliseconds(300));
    EXPECT_LT(steady_clock::now() - first, milliseconds(300));
  });
}

TEST(Switches, SetTheComputeModeOfEachDevice) {
  const Environment switches = {{"SIMCUDA_DEVICES", "4"},
                                {"SIMCUDA_COMPUTE_MODE", "default,exclusive,prohibited"}};
  simulate(switches, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    const std::vector<int> modes = {0, 3, 2, 2};
    const std::vector<abi::CUresult> results = {0, 0, 999, 999};
    for (int device = 0; device < 4; ++device) {
      const auto at = static_cast<std::size_t>(device);
      int mode = -1;
      EXPECT_EQ(driver.cuDeviceGetAttribute(&mode, abi::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device),
                abi::CUDA_SUCCESS);
      EXPECT_EQ(mode, modes[at]);
      abi::CUcontext context = nullptr;
      EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, device), results[at]);
    }
  });
}

TEST(Switches, MakeTheOneVisibleDeviceAMigInstance) {
  simulate({{"SIMCUDA_MIG", "1"}, {"SIMCUDA_DEVICES", "4"}}, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    int count = 0;
    EXPECT_EQ(driver.cuDeviceGetCount(&count), abi::CUDA_SUCCESS);
    EXPECT_EQ(count, 1);
    abi::CUuuid gpu{};
    abi::CUuuid instance{};
    EXPECT_EQ(driver.cuDeviceGetUuid(&gpu, 0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDeviceGetUuid_v2(&instance, 0), abi::CUDA_SUCCESS);
    EXPECT_EQ(gpu.bytes[0], 0x5C);
    EXPECT_EQ(instance.bytes[0], 0xFF);
  });
}

}  // namespace
}  // namespace warminit::simcuda_test
