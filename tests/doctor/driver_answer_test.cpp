#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "doctor/fake_machine.h"
#include "warminit/cuda/abi.h"
#include "warminit/doctor/nvml.h"

namespace warminit::test {
namespace {

using namespace cuda::abi;
using doctor::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(DoctorOnTheDriver, KnowsEachWayToEndWithoutAnAnswer) {
  FakeMachine fake;
  fake.machine.environment["CUDA_VISIBLE_DEVICES"] = "0";
  fake.answer = {};
  fake.answer.ending = Answer::Ending::late;
  fake.answer.failure = "no answer in 30 s";
  EXPECT_THAT(fake.codes(), ElementsAre("driver-hangs"));
  EXPECT_EQ(fake.asked.size(), 1U) << "what hangs is not asked twice";
  fake.answer.ending = Answer::Ending::died;
  fake.answer.signal = SIGSEGV;
  EXPECT_THAT(fake.codes(), ElementsAre("driver-crashes"));
  EXPECT_THAT(fake.found("driver-crashes").what, HasSubstr("SIGSEGV"));
  fake.answer.ending = Answer::Ending::failed;
  EXPECT_THAT(fake.codes(), ElementsAre("driver-not-asked"));
}

TEST(DoctorOnTheDriver, KnowsAFabricManagerThatDoesNotRun) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_SYSTEM_NOT_READY);
  EXPECT_THAT(fake.codes(), ElementsAre("fabric-manager"));
}

TEST(DoctorOnTheDriver, GivesItsOwnWordsWhereNothingElseExplainsThem) {
  FakeMachine fake;
  for (const int code : {CUDA_ERROR_UNKNOWN, CUDA_ERROR_NO_DEVICE, CUDA_ERROR_OPERATING_SYSTEM}) {
    fake.driver_says(code, "cuInit: the reason");
    EXPECT_THAT(fake.codes(), ElementsAre("driver-error")) << code;
    EXPECT_EQ(fake.found("driver-error").what, "cuInit: the reason");
    EXPECT_EQ(fake.found("driver-error").remedy, "the remedy");
  }
  fake.answer.problem.reset();
  EXPECT_THAT(fake.codes(), ElementsAre("driver-error"));
}

TEST(DoctorOnTheDriver, NoticesASlowStart) {
  FakeMachine fake;
  fake.answer.init_seconds = 2.34;
  EXPECT_THAT(fake.codes(), ElementsAre("slow-init"));
  EXPECT_EQ(fake.found("slow-init").what, "cuInit took 2.3 s");
}

TEST(DoctorOnTheDriver, SaysThatASimulationIsOne) {
  FakeMachine fake;
  fake.answer.simulated = true;
  fake.remove("/dev/nvidiactl");  // A simulation needs no nodes.
  EXPECT_THAT(fake.codes(), ElementsAre("simulated-driver"));
}

TEST(DoctorOnMps, KnowsAServerThatCannotBeReached) {
  FakeMachine fake;
  fake.machine.environment["CUDA_MPS_PIPE_DIRECTORY"] = "/mps";
  EXPECT_THAT(fake.codes(), ElementsAre("mps-no-server"));
  for (int code = CUDA_ERROR_MPS_CONNECTION_FAILED; code <= CUDA_ERROR_MPS_CLIENT_TERMINATED;
       ++code) {
    fake.driver_says(code);
    EXPECT_THAT(fake.codes(), ElementsAre("mps-unreachable")) << code;
  }
  EXPECT_THAT(fake.found("mps-unreachable").what, HasSubstr("CUDA_MPS_PIPE_DIRECTORY='/mps'"));
}

TEST(DoctorOnMps, LeavesAServerAloneThatIsThere) {
  FakeMachine fake;
  fake.machine.environment["CUDA_MPS_PIPE_DIRECTORY"] = "/mps";
  fake.add("/mps/control");
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnEachGpu, KnowsItsComputeMode) {
  FakeMachine fake;
  fake.answer.devices = {fake_device(0), fake_device(1)};
  fake.answer.devices[0].compute_mode = "Exclusive_Process";
  fake.answer.devices[1].compute_mode = "Prohibited";
  EXPECT_THAT(fake.codes(), ElementsAre("compute-prohibited", "compute-exclusive"));
  EXPECT_THAT(fake.found("compute-prohibited").what, HasSubstr("GPU 1 (GPU-1)"));
}

TEST(DoctorOnEachGpu, KnowsOneThatFails) {
  FakeMachine fake;
  fake.answer.devices[0].problem = warm::Problem{0, "the device computed 3", "replace it"};
  EXPECT_THAT(fake.codes(), ElementsAre("gpu-fails"));
  EXPECT_EQ(fake.found("gpu-fails").remedy, "replace it");
}

TEST(DoctorOnEachGpu, KnowsOneWhoseMemoryIsTaken) {
  FakeMachine fake;
  fake.answer.devices[0].free_bytes = 6000 * kMiB;  // Of 141 GiB.
  EXPECT_THAT(fake.codes(), ElementsAre("gpu-memory-full"));
  fake.answer.devices[0].memory_bytes = 8192 * kMiB;
  EXPECT_THAT(fake.codes(), IsEmpty());
  fake.answer.devices[0].free_bytes = 500 * kMiB;  // No room for a context.
  EXPECT_THAT(fake.found("gpu-memory-full").what, HasSubstr("500 MiB of 8.0 GiB are free"));
}

TEST(DoctorOnEachGpu, KnowsPersistenceModeAndMig) {
  FakeMachine fake;
  fake.answer.gpus = {
      {"GPU-a", false, false, 0}, {"GPU-b", true, true, 2}, {"GPU-c", {}, false, 0}};
  EXPECT_THAT(fake.codes(), ElementsAre("persistence-off"));
  fake.driver_says(CUDA_ERROR_NO_DEVICE);
  fake.answer.gpus = {{"GPU-b", true, true, 0}};
  EXPECT_THAT(fake.codes(), ElementsAre("mig-without-instance"));
}

TEST(Nvml, SaysWhatCudaDoesNot) {
  const auto gpus = doctor::gpu_states(FAKE_NVML_LIBRARY);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].uuid, "GPU-first");
  EXPECT_EQ(gpus[0].persistence, true);
  EXPECT_FALSE(gpus[0].mig);
  EXPECT_EQ(gpus[1].persistence, false);
  EXPECT_TRUE(gpus[1].mig);
  EXPECT_EQ(gpus[1].instances, 2);
}

TEST(Nvml, IsNoMatterWhereItIsMissing) {
  EXPECT_THAT(doctor::gpu_states("/no/such/library"), IsEmpty());
  EXPECT_THAT(doctor::gpu_states(SIMCUDA_LIBRARY), IsEmpty());  // A library, and no NVML.
}

}  // namespace
}  // namespace warminit::test
