#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "simcuda/simulation.h"

namespace warminit::simcuda_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kInit = milliseconds(500);

Environment sharing(const SharedPath& shared) {
  return {{"SIMCUDA_SHARED", shared.path()}, {"SIMCUDA_INIT_MS", std::to_string(kInit.count())}};
}

/// Calls cuInit, says so, and waits to be told to end.
void initialise_and_stay(const Driver& driver, Simulation::Peer& parent) {
  EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  parent.tell();
  EXPECT_TRUE(parent.hears());
}

steady_clock::duration time_of_init(const Driver& driver) {
  const auto start = steady_clock::now();
  EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  return steady_clock::now() - start;
}

void expect_dear(const Driver& driver) { EXPECT_GE(time_of_init(driver), kInit); }

void expect_cheap(const Driver& driver) {
  const auto time = time_of_init(driver);
  EXPECT_GE(time, kInit / 10);
  EXPECT_LT(time, kInit);
}

TEST(SimulatedHost, MakesCuInitCheapWhileAnotherProcessHasInitialised) {
  const SharedPath shared;
  Simulation holder(sharing(shared), initialise_and_stay);
  ASSERT_TRUE(holder.peer().hears());
  simulate(sharing(shared), expect_cheap);
  simulate(sharing(shared), expect_cheap);
  holder.peer().tell();
  EXPECT_EQ(holder.end().status, 0);
  simulate(sharing(shared), expect_dear);
}

TEST(SimulatedHost, MakesCuInitDearAgainHoweverTheOtherProcessEnds) {
  const SharedPath shared;
  Simulation holder(sharing(shared), initialise_and_stay);
  ASSERT_TRUE(holder.peer().hears());
  holder.kill();
  EXPECT_EQ(WTERMSIG(holder.end().status), SIGKILL);
  simulate(sharing(shared), expect_dear);
}

TEST(SimulatedHost, LetsOtherProcessesWaitForTheFirstCuInit) {
  const SharedPath shared;
  const auto start = steady_clock::now();
  Simulation first(sharing(shared), initialise_and_stay);
  Simulation second(sharing(shared), initialise_and_stay);
  ASSERT_TRUE(first.peer().hears());
  ASSERT_TRUE(second.peer().hears());
  EXPECT_GE(steady_clock::now() - start, kInit + kInit / 10);
  first.peer().tell();
  second.peer().tell();
  EXPECT_EQ(first.end().status, 0);
  EXPECT_EQ(second.end().status, 0);
}

TEST(SimulatedHost, DoesNotCountAForkedChildAsRegistered) {
  const SharedPath shared;
  Simulation holder(sharing(shared), [](const Driver& driver, Simulation::Peer& parent) {
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    if (::fork() == 0) {
      (void)parent.hears();  // Until the test ends.
      ::_exit(0);
    }
    parent.tell();
  });
  ASSERT_TRUE(holder.peer().hears());
  EXPECT_EQ(holder.end().status, 0);
  simulate(sharing(shared), expect_dear);
}

TEST(SimulatedHost, GivesADeviceInExclusiveModeToOneProcess) {
  const SharedPath shared;
  const Environment switches = {{"SIMCUDA_SHARED", shared.path()},
                                {"SIMCUDA_DEVICES", "2"},
                                {"SIMCUDA_COMPUTE_MODE", "exclusive,default"}};
  const auto retain = [](const Driver& driver, int device) {
    abi::CUcontext context = nullptr;
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
    return driver.cuDevicePrimaryCtxRetain(&context, device);
  };
  Simulation holder(switches, [&retain](const Driver& driver, Simulation::Peer& parent) {
    EXPECT_EQ(retain(driver, 0), abi::CUDA_SUCCESS);
    EXPECT_EQ(retain(driver, 0), abi::CUDA_SUCCESS);
    EXPECT_EQ(retain(driver, 1), abi::CUDA_SUCCESS);
    parent.tell();
    EXPECT_TRUE(parent.hears());
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(0), abi::CUDA_SUCCESS);
    parent.tell();
    EXPECT_TRUE(parent.hears());
  });
  ASSERT_TRUE(holder.peer().hears());
  simulate(switches, [&retain](const Driver& driver) {
    EXPECT_EQ(retain(driver, 0), abi::CUDA_ERROR_DEVICE_UNAVAILABLE);
    EXPECT_EQ(retain(driver, 1), abi::CUDA_SUCCESS);
  });
  holder.peer().tell();
  ASSERT_TRUE(holder.peer().hears());
  simulate(switches,
           [&retain](const Driver& driver) { EXPECT_EQ(retain(driver, 0), abi::CUDA_SUCCESS); });
  holder.peer().tell();
  EXPECT_EQ(holder.end().status, 0);
}

TEST(SimulatedHost, CountsFailuresOfAllItsProcesses) {
  const SharedPath shared;
  const Environment switches = {{"SIMCUDA_SHARED", shared.path()},
                                {"SIMCUDA_FAIL", "cuInit:802::3"}};
  simulate(switches, [](const Driver& driver) {
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
  });
  simulate(switches, [](const Driver& driver) {
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_SYSTEM_NOT_READY);
    EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  });
  simulate(switches, [](const Driver& driver) { EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS); });
}

TEST(SimulatedHost, CountsCrashesOfAllItsProcesses) {
  const SharedPath shared;
  const Environment switches = {{"SIMCUDA_SHARED", shared.path()},
                                {"SIMCUDA_CRASH", "cuCtxSynchronize:0:2"}};
  const auto synchronize = [](const Driver& driver) {
    enter(driver);
    EXPECT_EQ(driver.cuCtxSynchronize(), abi::CUDA_SUCCESS);
  };
  for (int i = 0; i < 2; ++i) {
    Simulation crashing(
        switches, [&synchronize](const Driver& driver, Simulation::Peer&) { synchronize(driver); });
    EXPECT_EQ(WTERMSIG(crashing.end().status), SIGSEGV);
  }
  simulate(switches, synchronize);
}

TEST(SimulatedHost, SaysWhyItsFileCannotBeOpened) {
  const std::string said = simulate(
      {{"SIMCUDA_SHARED", "/nowhere/host"}},
      [](const Driver& driver) { EXPECT_EQ(driver.cuInit(0), abi::CUDA_ERROR_OPERATING_SYSTEM); });
  EXPECT_EQ(said, "simcuda: SIMCUDA_SHARED: /nowhere/host: No such file or directory\n");
}

}  // namespace
}  // namespace warminit::simcuda_test
