#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

constexpr abi::CUresult kCodes[] = {0,   1,   2,   3,   4,   34,  46,  100, 101, 200, 201,
                                    209, 214, 218, 220, 302, 303, 304, 400, 500, 700, 702,
                                    708, 709, 710, 714, 715, 716, 717, 718, 719, 802, 803,
                                    804, 805, 806, 807, 808, 809, 810, 999};

TEST(SimulatedDriver, IsKnownAsASimulation) {
  simulate({}, [](const Driver& driver) {
    EXPECT_TRUE(driver.simulated);
    EXPECT_NE(driver.cuDeviceGetUuid_v2, nullptr);
  });
}

TEST(SimulatedDriver, ExportsEveryFunctionOfTheTable) {
  simulate({}, [](const Driver& driver) {
    void* library = ::dlopen(driver.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
#define EXPECT_EXPORTED(function, symbol) EXPECT_NE(::dlsym(library, symbol), nullptr) << symbol;
    WARMINIT_CUDA_FUNCTIONS(EXPECT_EXPORTED)
    WARMINIT_CUDA_OPTIONAL_FUNCTIONS(EXPECT_EXPORTED)
#undef EXPECT_EXPORTED
  });
}

TEST(SimulatedDriver, RefusesAllButErrorTextsAndItsVersionBeforeCuInit) {
  simulate({}, [](const Driver& driver) {
    int value = 0;
    abi::CUcontext context = nullptr;
    abi::CUdeviceptr pointer = 0;
    const char* name = nullptr;
    EXPECT_EQ(driver.cuDeviceGetCount(&value), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuDeviceGet(&value, 0), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuDevicePrimaryCtxSetFlags(0, 0), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuCtxSetCurrent(nullptr), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuMemAlloc(&pointer, 1), abi::CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver.cuDriverGetVersion(&value), abi::CUDA_SUCCESS);
    EXPECT_EQ(value, 13000);
    EXPECT_EQ(driver.cuGetErrorName(abi::CUDA_ERROR_NO_DEVICE, &name), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedDriver, NamesEveryErrorDifferently) {
  simulate({}, [](const Driver& driver) {
    std::set<std::string> names;
    std::set<std::string> texts;
    for (const abi::CUresult code : kCodes) {
      const char* name = nullptr;
      const char* text = nullptr;
      ASSERT_EQ(driver.cuGetErrorName(code, &name), abi::CUDA_SUCCESS) << code;
      ASSERT_EQ(driver.cuGetErrorString(code, &text), abi::CUDA_SUCCESS) << code;
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_TRUE(texts.insert(text).second) << text;
    }
    EXPECT_EQ(driver.error("cuInit", 100).what,
              "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
  });
}

TEST(SimulatedDriver, KnowsNoNameForAnUnknownError) {
  simulate({}, [](const Driver& driver) {
    const char* name = "untouched";
    EXPECT_EQ(driver.cuGetErrorName(12345, &name), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(name, nullptr);
    name = "untouched";
    EXPECT_EQ(driver.cuGetErrorString(12345, &name), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(name, nullptr);
  });
}

TEST(SimulatedDriver, MayBeInitialisedTwiceButTakesNoFlags) {
  simulate({}, [](const Driver& driver) {
    EXPECT_EQ(driver.cuInit(1), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedDriver, DescribesEachDevice) {
  simulate({{"SIMCUDA_DEVICES", "3"}}, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    int count = 0;
    ASSERT_EQ(driver.cuDeviceGetCount(&count), abi::CUDA_SUCCESS);
    ASSERT_EQ(count, 3);
    std::set<std::string> ids;
    std::set<std::string> uuids;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      abi::CUdevice device = -1;
      ASSERT_EQ(driver.cuDeviceGet(&device, ordinal), abi::CUDA_SUCCESS);
      char text[32] = {};
      EXPECT_EQ(driver.cuDeviceGetName(text, sizeof text, device), abi::CUDA_SUCCESS);
      EXPECT_STREQ(text, "Simulated GPU");
      EXPECT_EQ(driver.cuDeviceGetPCIBusId(text, sizeof text, device), abi::CUDA_SUCCESS);
      EXPECT_TRUE(ids.insert(text).second) << text;
      abi::CUuuid uuid{};
      EXPECT_EQ(driver.cuDeviceGetUuid(&uuid, device), abi::CUDA_SUCCESS);
      EXPECT_TRUE(uuids.insert(std::string(uuid.bytes, uuid.bytes + 16)).second);
      abi::CUuuid same{};
      EXPECT_EQ(driver.cuDeviceGetUuid_v2(&same, device), abi::CUDA_SUCCESS);
      EXPECT_EQ(std::string(same.bytes, same.bytes + 16), std::string(uuid.bytes, uuid.bytes + 16));
      int value = -1;
      EXPECT_EQ(driver.cuDeviceGetAttribute(
                    &value, abi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
                abi::CUDA_SUCCESS);
      EXPECT_EQ(value, 9);
      EXPECT_EQ(driver.cuDeviceGetAttribute(
                    &value, abi::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
                abi::CUDA_SUCCESS);
      EXPECT_EQ(value, 0);
      std::size_t bytes = 0;
      EXPECT_EQ(driver.cuDeviceTotalMem(&bytes, device), abi::CUDA_SUCCESS);
      EXPECT_EQ(bytes, std::size_t{143771} << 20);
    }
    EXPECT_EQ(ids.count("0000:01:00.0"), 1U);
  });
}

TEST(SimulatedDriver, RefusesWhatIsNoDeviceOrNoPlaceForAnAnswer) {
  simulate({}, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    abi::CUdevice device = -1;
    abi::CUuuid uuid{};
    char text[4] = {};
    EXPECT_EQ(driver.cuDeviceGet(&device, 1), abi::CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(driver.cuDeviceGet(&device, -1), abi::CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(driver.cuDeviceGet(nullptr, 0), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuDeviceGetUuid(&uuid, 1), abi::CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(driver.cuDeviceGetAttribute(&device, 12345, 0), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuDeviceGetName(text, 0, 0), abi::CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuDeviceGetName(text, sizeof text, 0), abi::CUDA_SUCCESS);
    EXPECT_STREQ(text, "Sim");
  });
}

TEST(SimulatedDriver, DoesNotWorkInAChildThatWasForkedAfterCuInit) {
  simulate({}, [](const Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    const pid_t child = ::fork();
    if (child == 0) {
      int count = 0;
      const bool refused = driver.cuInit(0) == abi::CUDA_ERROR_NOT_INITIALIZED &&
                           driver.cuDeviceGetCount(&count) == abi::CUDA_ERROR_NOT_INITIALIZED;
      ::_exit(refused ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
}

}  // namespace
}  // namespace warminit::simcuda_test
