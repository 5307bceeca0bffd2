#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "doctor/fake_machine.h"
#include "warminit/cuda/abi.h"

namespace warminit::test {
namespace {

using namespace cuda::abi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DoctorOfAHealthyMachine, FindsNothing) {
  const FakeMachine fake;
  EXPECT_THAT(fake.codes(), IsEmpty());
  EXPECT_EQ(fake.asked.size(), 1U);
}

TEST(DoctorOnPresence, NamesOnlyTheMissingModuleWhereThatExplainsAll) {
  FakeMachine fake;
  fake.lose_library();
  for (const char* path : {"/proc/driver", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"})
    fake.remove(path);
  EXPECT_THAT(fake.codes(), ElementsAre("no-kernel-module"));
}

TEST(DoctorOnPresence, SaysThatTheContainerWasGivenNoGpus) {
  FakeMachine fake;
  fake.lose_library();
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"}) fake.remove(path);
  EXPECT_THAT(fake.codes(), ElementsAre("no-gpus-given"));
}

TEST(DoctorOnPresence, NamesTheVariableThatAsksForNone) {
  for (const char* value : {"void", "none", ""}) {
    FakeMachine fake;
    fake.lose_library();
    fake.machine.environment["NVIDIA_VISIBLE_DEVICES"] = value;
    EXPECT_THAT(fake.codes(), ElementsAre("visible-devices-void")) << value;
  }
}

TEST(DoctorOnPresence, LeavesVoidAloneWhereThereAreGpus) {
  FakeMachine fake;
  fake.machine.environment["NVIDIA_VISIBLE_DEVICES"] = "void";  // As under CDI.
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnPresence, AsksNeitherModuleNorNodesOfWsl) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_NO_DEVICE);
  fake.add("/dev/dxg");
  for (const char* path : {"/proc/driver", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"})
    fake.remove(path);
  EXPECT_THAT(fake.codes(), ElementsAre("driver-error"));
}

TEST(DoctorOnNodes, NamesEachThatIsMissing) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_OPERATING_SYSTEM);
  fake.remove("/dev/nvidiactl");
  EXPECT_THAT(fake.codes(), ElementsAre("no-control-node"));
  fake.remove("/dev/nvidia-uvm");
  EXPECT_THAT(fake.codes(), ElementsAre("no-control-node", "no-uvm-node"));
  fake.remove("/dev/nvidia0");
  EXPECT_THAT(fake.codes(), ElementsAre("no-control-node", "no-uvm-node", "no-gpu-node"));
}

TEST(DoctorOnNodes, TellsTheCgroupFromTheMode) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_OPERATING_SYSTEM);
  fake.refuse("/dev/nvidiactl", EPERM);
  EXPECT_THAT(fake.codes(), ElementsAre("node-forbidden"));
  EXPECT_THAT(fake.found("node-forbidden").what,
              HasSubstr("/dev/nvidiactl: Operation not permitted"));
  fake.refuse("/dev/nvidiactl", EACCES);
  EXPECT_THAT(fake.codes(), ElementsAre("node-denied"));
  fake.refuse("/dev/nvidiactl", ENXIO);
  EXPECT_THAT(fake.codes(), ElementsAre("node-dead"));
}

TEST(DoctorOnNodes, TakesARefusedOneForAnothersGpuWhereTheDriverWorks) {
  FakeMachine fake;
  fake.add("/dev/nvidia1");
  fake.refuse("/dev/nvidia1", EPERM);
  EXPECT_THAT(fake.codes(), ElementsAre("gpu-not-given"));
  EXPECT_EQ(doctor::exit_code(fake.examine()), 0);
}

}  // namespace
}  // namespace warminit::test
