#include <gtest/gtest.h>

#include <csignal>

#include "support/process.h"

namespace warminit::test {
namespace {

/// warminit with the simulated driver and a command that waits for signals.
Process::Options waiting_command(std::vector<std::string> options,
                                 std::map<std::string, std::string> switches) {
  return {.argv = warminit(std::move(options), {program("signals"), "1000"}),
          .environment = simulated(std::move(switches))};
}

/// The command is untouched: it still gets signals and ends with its own code.
void expect_command_untouched(Process& process) {
  ASSERT_TRUE(process.wait_for("listening")) << process.err();
  process.signal(SIGUSR1);
  EXPECT_TRUE(process.wait_for("signal " + std::to_string(SIGUSR1) + "\n"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 3) << process.err();
}

TEST(Holder, HoldsEveryVisibleDeviceAndSaysSo) {
  Process process(waiting_command({}, {{"SIMCUDA_DEVICES", "3"}}));
  EXPECT_TRUE(process.wait_for("ready: 3 of 3 GPUs are ready")) << process.err();
  EXPECT_TRUE(process.child_named("warminit-holder"));
  EXPECT_EQ(count(process.err(), "is ready at level context"), 3);
  EXPECT_EQ(count(process.err(), "a SIMULATED driver is in use"), 1);
  expect_command_untouched(process);
}

TEST(Holder, KeepsOnlyTheDriverAtLevelDevice) {
  Process process(waiting_command({"--hold=device"}, {}));
  EXPECT_TRUE(process.wait_for("is ready at level device")) << process.err();
  EXPECT_NE(process.err().find("release"), std::string::npos);
  EXPECT_TRUE(process.child_named("warminit-holder"));
  expect_command_untouched(process);
}

TEST(Holder, IsNotStartedAtLevelOff) {
  Process process(waiting_command({"--hold=off"}, {}));
  ASSERT_TRUE(process.wait_for("listening"));
  EXPECT_FALSE(process.child_named("warminit-holder"));
  expect_command_untouched(process);
}

TEST(Holder, ThatCrashesInTheDriverIsStartedAgain) {
  Process process(waiting_command({"--restart-delay=10ms", "--restart-limit=2"},
                                  {{"SIMCUDA_CRASH", "cuInit"}}));
  EXPECT_TRUE(process.wait_for("not starting it again")) << process.err();
  EXPECT_NE(process.err().find("signal SIGSEGV"), std::string::npos) << process.err();
  EXPECT_NE(process.err().find("starting it again in 10 ms"), std::string::npos);
  EXPECT_NE(process.err().find("starting it again in 20 ms"), std::string::npos);
  expect_command_untouched(process);
}

TEST(Holder, ThatIsKilledIsStartedAgainAndHoldsAgain) {
  Process process(waiting_command({"--restart-delay=10ms"}, {}));
  ASSERT_TRUE(process.wait_for("ready: 1 of 1"));
  const auto holder = process.child_named("warminit-holder");
  ASSERT_TRUE(holder);
  ASSERT_EQ(::kill(*holder, SIGKILL), 0);
  EXPECT_TRUE(process.wait_for("the holder ended (signal SIGKILL"));
  while (count(process.err(), "ready: 1 of 1") < 2)
    ASSERT_TRUE(process.wait_for("this never comes", std::chrono::milliseconds(100)) ||
                count(process.err(), "\n") < 100);
  const auto next = process.child_named("warminit-holder");
  ASSERT_TRUE(next);
  EXPECT_NE(*next, *holder);
  expect_command_untouched(process);
}

TEST(Holder, ThatHangsInTheDriverIsReportedAndKilled) {
  Process process(
      waiting_command({"--init-timeout=200ms", "--restart-limit=0"}, {{"SIMCUDA_HANG", "cuInit"}}));
  EXPECT_TRUE(process.wait_for("the driver has not answered for 200 ms")) << process.err();
  EXPECT_TRUE(process.wait_for("not starting it again"));
  EXPECT_FALSE(process.child_named("warminit-holder"));
  expect_command_untouched(process);
}

TEST(Holder, ThatHangsDelaysNeitherSignalNorEnd) {
  Process process(waiting_command({}, {{"SIMCUDA_HANG", "cuInit"}}));
  expect_command_untouched(process);
}

TEST(Holder, ReleasesItsContextsBeforeItEnds) {
  Process process({.argv = {WARMINIT_BINARY, "hold", "--log-level=debug"},
                   .environment = simulated({{"SIMCUDA_CRASH", "cuDevicePrimaryCtxRelease"}})});
  ASSERT_TRUE(process.wait_for("ready: 1 of 1")) << process.err();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
  // The crash shows that it did release; init ends well all the same.
  EXPECT_EQ(count(process.err(), "the holder ended with signal SIGSEGV"), 1) << process.err();
}

TEST(Holder, ThatHangsInTheReleaseDelaysTheEndOnlyALittle) {
  Process process({.argv = warminit({"--wait-ready", "--grace=60s"}, {"true"}),
                   .environment = simulated({{"SIMCUDA_HANG", "cuDevicePrimaryCtxRelease"}})});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(count(process.err(), "has not released the GPUs in 2000 ms, killing the holder"), 1)
      << process.err();
}

TEST(Holder, LeavesOutAGpuThatEndsItTwiceForTheSakeOfTheOthers) {
  Process process({.argv = warminit({"--wait-ready=60s", "--restart-delay=10ms"}, {"true"}),
                   .environment = simulated(
                       {{"SIMCUDA_DEVICES", "3"}, {"SIMCUDA_FAIL", "cuLaunchKernel:719:1"}})});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(count(process.err(), "partial: 2 of 3 GPUs are ready"), 1) << process.err();
  EXPECT_EQ(count(process.err(), "left out, for its errors have ended the holder"), 1);
  EXPECT_EQ(count(process.err(),
                  "GPU 1 GPU-4f450980-185d-4406-ac81-4c72a8b88bf8 (Simulated GPU) is failed: left"),
            1)
      << process.err();
}

TEST(Holder, WaitsForAMachineThatIsStillStarting) {
  char folder[] = "/tmp/warminit-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  Process process(waiting_command(
      {}, {{"SIMCUDA_FAIL", "cuInit:802:*:1"}, {"SIMCUDA_SHARED", std::string(folder) + "/gpu"}}));
  EXPECT_TRUE(process.wait_for("nvidia-fabricmanager")) << process.err();
  EXPECT_TRUE(process.wait_for("ready: 1 of 1")) << process.err();
  EXPECT_EQ(count(process.err(), "the holder ended"), 0) << process.err();
  expect_command_untouched(process);
}

TEST(Holder, TriesOnceMoreWithoutAnMpsServerThatCannotBeReached) {
  char folder[] = "/tmp/warminit-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  Process process(waiting_command({}, {{"SIMCUDA_FAIL", "cuInit:805:*:1"},
                                       {"SIMCUDA_SHARED", std::string(folder) + "/gpu"},
                                       {"CUDA_MPS_PIPE_DIRECTORY", "/nowhere"}}));
  EXPECT_TRUE(process.wait_for("the MPS server cannot be reached")) << process.err();
  EXPECT_TRUE(process.wait_for("ready: 1 of 1")) << process.err();
  expect_command_untouched(process);
}

TEST(Holder, LeavesAnExclusiveDeviceToTheCommand) {
  Process process(waiting_command({}, {{"SIMCUDA_COMPUTE_MODE", "exclusive"}}));
  EXPECT_TRUE(process.wait_for("compute mode Exclusive_Process")) << process.err();
  EXPECT_TRUE(process.wait_for("ready: 1 of 1")) << process.err();
  expect_command_untouched(process);
}

struct Injected {
  std::string fault;     ///< SIMCUDA_FAIL
  std::string expected;  ///< What the log says to do.
};

class DriverError : public testing::TestWithParam<Injected> {};

TEST_P(DriverError, IsSaidOnceWithARemedyAndLeavesTheCommandAlone) {
  Process process(
      waiting_command({"--restart-delay=10ms", "--restart-limit=2", "--init-timeout=1s"},
                      {{"SIMCUDA_FAIL", GetParam().fault}}));
  EXPECT_TRUE(process.wait_for("not starting it again")) << process.err();
  EXPECT_EQ(count(process.err(), GetParam().expected), 1) << process.err();
  expect_command_untouched(process);
}

INSTANTIATE_TEST_SUITE_P(
    Code, DriverError,
    testing::Values(
        Injected{"cuInit:34", "take its folder out of LD_LIBRARY_PATH"},
        Injected{"cuInit:100", "docker run --gpus all"}, Injected{"cuInit:101", "warminit doctor"},
        Injected{"cuInit:304", "/dev/nvidiactl: "},
        Injected{"cuInit:802", "systemctl status nvidia-fabricmanager"},
        Injected{"cuInit:803", "the kernel module"},
        Injected{"cuInit:804", "data-centre GPUs only"},
        Injected{"cuInit:805", "nvidia-cuda-mps-control"},
        Injected{"cuInit:806", "nvidia-cuda-mps-control"},
        Injected{"cuInit:807", "nvidia-cuda-mps-control"},
        Injected{"cuInit:808", "nvidia-cuda-mps-control"},
        Injected{"cuInit:809", "nvidia-cuda-mps-control"},
        Injected{"cuInit:810", "the MPS server has ended its clients"},
        Injected{"cuInit:999", "/dev/nvidia-uvm: "}, Injected{"cuLaunchKernel:700", "Xid"},
        Injected{"cuLaunchKernel:702", "Xid"}, Injected{"cuCtxSynchronize:709", "Xid"},
        Injected{"cuCtxSynchronize:710", "Xid"}, Injected{"cuCtxSynchronize:714", "Xid"},
        Injected{"cuCtxSynchronize:715", "Xid"}, Injected{"cuCtxSynchronize:716", "Xid"},
        Injected{"cuCtxSynchronize:717", "Xid"}, Injected{"cuCtxSynchronize:718", "Xid"},
        Injected{"cuCtxSynchronize:719", "Xid"}, Injected{"cuMemcpyDtoH:214", "Xid"},
        Injected{"cuMemcpyDtoH:220", "Xid"}),
    [](const auto& test) {
      std::string name = test.param.fault;
      std::erase(name, ':');
      return name;
    });

TEST(DriverErrorOfOneDevice, LeavesTheOthersReady) {
  Process process(waiting_command(
      {}, {{"SIMCUDA_DEVICES", "3"}, {"SIMCUDA_FAIL", "cuDevicePrimaryCtxRetain:2:1"}}));
  EXPECT_TRUE(process.wait_for("ready: 2 of 3 GPUs are ready")) << process.err();
  EXPECT_NE(process.err().find("is skipped: "), std::string::npos) << process.err();
  expect_command_untouched(process);
}

TEST(DriverErrorOfOneDevice, ThatComputesWronglyIsFoundOut) {
  Process process(waiting_command({}, {{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_WRONG_RESULT", "1"}}));
  EXPECT_TRUE(process.wait_for("the device computed")) << process.err();
  EXPECT_TRUE(process.wait_for("partial: 1 of 2 GPUs are ready")) << process.err();
  expect_command_untouched(process);
}

TEST(Holder, IsNotStoppedByAVariableThatInitDidNotNeed) {
  auto environment = simulated();
  environment["WARMINIT_GRACE"] = "banana";
  environment["WARMINIT_LOG_LEVEL"] = "loud";
  Process process(
      {.argv = warminit({"--grace=1s", "--log-level=info", "--wait-ready=10s"}, {"true"}),
       .environment = environment});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(count(process.err(), "ready: 1 of 1"), 1) << process.err();
}

TEST(NoDriver, IsSaidOnceAndNeverTriedAgain) {
  Process process(
      {.argv = warminit({"--driver-library=/no/such/libcuda.so.1", "--restart-delay=1ms"},
                        {program("signals"), "1000"})});
  EXPECT_TRUE(process.wait_for("not starting it again")) << process.err();
  EXPECT_EQ(count(process.err(), "check --driver-library"), 1) << process.err();
  expect_command_untouched(process);
}

}  // namespace
}  // namespace warminit::test
