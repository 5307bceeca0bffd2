#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

using std::chrono::milliseconds;

/// 'S' for a process that waits, 'R' for one that runs.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos ? '?' : line.at(name_end + 2);
}

TEST(SimulatedFailure, IsTheAnswerOfEveryCallWithoutALimit) {
  simulate({{"SIMCUDA_FAIL", "cuInit:802"}}, [](const Driver& driver) {
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
  });
}

TEST(SimulatedFailure, EndsAfterSoManyTimes) {
  simulate({{"SIMCUDA_FAIL", "cuInit:802::2,cuInit:304:*:1"}}, [](const Driver& driver) {
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_OPERATING_SYSTEM);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  });
}

TEST(SimulatedFailure, MayBeOfOneDevice) {
  const Environment switches = {
      {"SIMCUDA_DEVICES", "3"},
      {"SIMCUDA_FAIL", "cuDevicePrimaryCtxRetain:2:1,cuCtxSynchronize:304:2"}};
  simulate(switches, [](const Driver& driver) {
    abi::CUcontext context = nullptr;
    enter(driver, 0);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 1), abi::CUDA_ERROR_OUT_OF_MEMORY);
    enter(driver, 2);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_OPERATING_SYSTEM);
  });
}

TEST(SimulatedFailure, StaysWithItsDeviceWhateverTheOrdinal) {
  const Environment switches = {{"SIMCUDA_DEVICES", "2"},
                                {"CUDA_VISIBLE_DEVICES", "1,0"},
                                {"SIMCUDA_FAIL", "cuDeviceGetName:304:1"}};
  simulate(switches, [](const Driver& driver) {
    char name[16];
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDeviceGetName(name, sizeof name, 0), abi::CUDA_ERROR_OPERATING_SYSTEM);
    EXPECT_EQ(driver.cuDeviceGetName(name, sizeof name, 1), abi::CUDA_SUCCESS);
  });
}

/// A call of each function of the table, in a device's current context where there is one.
abi::CUresult call(const Driver& driver, const std::string& function) {
  int value = 0;
  char text[8];
  const char* words = nullptr;
  std::size_t size = 0;
  abi::CUuuid uuid{};
  abi::CUdeviceptr pointer = 0;
  abi::CUcontext context = nullptr;
  (void)driver.cuInit(0);  // One of the three is the function that fails.
  (void)driver.cuDevicePrimaryCtxRetain(&context, 0);
  (void)driver.cuCtxSetCurrent(context);
  if (function == "cuInit") return driver.cuInit(0);
  if (function == "cuDriverGetVersion") return driver.cuDriverGetVersion(&value);
  if (function == "cuGetErrorName") return driver.cuGetErrorName(1, &words);
  if (function == "cuGetErrorString") return driver.cuGetErrorString(1, &words);
  if (function == "cuDeviceGetCount") return driver.cuDeviceGetCount(&value);
  if (function == "cuDeviceGet") return driver.cuDeviceGet(&value, 0);
  if (function == "cuDeviceGetName") return driver.cuDeviceGetName(text, 8, 0);
  if (function == "cuDeviceGetUuid") return driver.cuDeviceGetUuid(&uuid, 0);
  if (function == "cuDeviceGetUuid_v2") return driver.cuDeviceGetUuid_v2(&uuid, 0);
  if (function == "cuDeviceTotalMem") return driver.cuDeviceTotalMem(&size, 0);
  if (function == "cuDeviceGetAttribute") return driver.cuDeviceGetAttribute(&value, 20, 0);
  if (function == "cuDeviceGetPCIBusId") return driver.cuDeviceGetPCIBusId(text, 8, 0);
  if (function == "cuDevicePrimaryCtxSetFlags") return driver.cuDevicePrimaryCtxSetFlags(0, 0);
  if (function == "cuDevicePrimaryCtxRetain") return driver.cuDevicePrimaryCtxRetain(&context, 0);
  if (function == "cuDevicePrimaryCtxRelease") return driver.cuDevicePrimaryCtxRelease(0);
  if (function == "cuCtxSetCurrent") return driver.cuCtxSetCurrent(context);
  if (function == "cuCtxSetLimit") return driver.cuCtxSetLimit(0, 0);
  if (function == "cuCtxSynchronize") return driver.cuCtxSynchronize();
  if (function == "cuModuleLoadData") return driver.cuModuleLoadData(nullptr, nullptr);
  if (function == "cuModuleUnload") return driver.cuModuleUnload(nullptr);
  if (function == "cuModuleGetFunction")
    return driver.cuModuleGetFunction(nullptr, nullptr, nullptr);
  if (function == "cuLaunchKernel")
    return driver.cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  if (function == "cuMemAlloc") return driver.cuMemAlloc(&pointer, 1);
  if (function == "cuMemFree") return driver.cuMemFree(0);
  if (function == "cuMemGetInfo") return driver.cuMemGetInfo(nullptr, nullptr);
  if (function == "cuMemcpyDtoH") return driver.cuMemcpyDtoH(text, 0, 1);
  ADD_FAILURE() << "This test does not call " << function;
  return abi::CUDA_SUCCESS;
}

TEST(SimulatedFailure, ReachesEveryFunction) {
#define NAME(function, symbol) #function,
  const std::vector<std::string> functions = {WARMINIT_CUDA_FUNCTIONS(NAME)
                                                  WARMINIT_CUDA_OPTIONAL_FUNCTIONS(NAME)};
#undef NAME
  for (const std::string& function : functions) {
    simulate({{"SIMCUDA_FAIL", function + ":304"}}, [&function](const Driver& driver) {
      EXPECT_EQ(call(driver, function), abi::CUDA_ERROR_OPERATING_SYSTEM) << function;
    });
  }
}

TEST(SimulatedFailure, WithAStickyErrorLosesTheProcess) {
  simulate({{"SIMCUDA_FAIL", "cuCtxSynchronize:719::1"}}, [](const Driver& driver) {
    abi::CUcontext context = enter(driver);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), abi::CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(SimulatedFailure, MayComeSomeTimeAfterCuInit) {
  simulate({{"SIMCUDA_STICKY_AFTER_MS", "500"}}, [](const Driver& driver) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    abi::CUcontext context = nullptr;
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), abi::CUDA_SUCCESS);
    ASSERT_EQ(driver.cuCtxSetCurrent(context), abi::CUDA_SUCCESS);
    abi::CUresult result = abi::CUDA_SUCCESS;
    while (result == abi::CUDA_SUCCESS) result = driver.cuCtxSynchronize();
    EXPECT_EQ(result, abi::CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(500));
    EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), abi::CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(SimulatedHang, NeverReturnsAndUsesNoProcessor) {
  Simulation simulation({{"SIMCUDA_HANG", "cuInit"}},
                        [](const Driver& driver, Simulation::Peer& parent) {
                          parent.tell();
                          (void)driver.cuInit(0);
                          parent.tell();
                        });
  ASSERT_TRUE(simulation.peer().hears());
  EXPECT_FALSE(simulation.peer().hears(milliseconds(300)));
  EXPECT_EQ(state_of(simulation.pid()), 'S');
  simulation.kill();
  EXPECT_EQ(WTERMSIG(simulation.end().status), SIGKILL);
}

TEST(SimulatedHang, OfOneDeviceDoesNotHoldUpAnother) {
  Simulation simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_HANG", "cuDevicePrimaryCtxRetain:1"}},
                        [](const Driver& driver, Simulation::Peer& parent) {
                          ASSERT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
                          std::thread([&driver, &parent] {
                            abi::CUcontext context = nullptr;
                            parent.tell();
                            (void)driver.cuDevicePrimaryCtxRetain(&context, 1);
                            ADD_FAILURE() << "It came back.";
                          }).detach();
                          EXPECT_TRUE(parent.hears());
                          enter(driver, 0);
                          EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
                        });
  ASSERT_TRUE(simulation.peer().hears());
  simulation.peer().tell();
  EXPECT_EQ(simulation.end().status, 0);
}

TEST(SimulatedCrash, IsARealSegmentationFault) {
  Simulation simulation({{"SIMCUDA_CRASH", "cuDevicePrimaryCtxRetain"}},
                        [](const Driver& driver, Simulation::Peer&) { enter(driver); });
  const Ending ending = simulation.end();
  ASSERT_TRUE(WIFSIGNALED(ending.status)) << ending.said;
  EXPECT_EQ(WTERMSIG(ending.status), SIGSEGV);
}

TEST(SimulatedCrash, HappensThoughAllSignalsAreBlocked) {
  Simulation simulation({{"SIMCUDA_CRASH", "cuInit"}}, [](const Driver& driver, Simulation::Peer&) {
    ::signal(SIGSEGV, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    (void)driver.cuInit(0);
  });
  const Ending ending = simulation.end();
  ASSERT_TRUE(WIFSIGNALED(ending.status)) << ending.said;
  EXPECT_EQ(WTERMSIG(ending.status), SIGSEGV);
}

TEST(SimulatedCrash, MayBeOfOneDevice) {
  Simulation simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_CRASH", "cuMemAlloc:1"}},
                        [](const Driver& driver, Simulation::Peer& parent) {
                          abi::CUdeviceptr pointer = 0;
                          enter(driver, 0);
                          EXPECT_EQ(driver.cuMemAlloc(&pointer, 1), abi::CUDA_SUCCESS);
                          enter(driver, 1);
                          parent.tell();
                          (void)driver.cuMemAlloc(&pointer, 1);
                        });
  EXPECT_TRUE(simulation.peer().hears());
  EXPECT_EQ(WTERMSIG(simulation.end().status), SIGSEGV);
}

}  // namespace
}  // namespace warminit::simcuda_test
