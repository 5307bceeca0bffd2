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

/// A machine with two GPUs of which the driver shows `shown` (or answers `code`) under `value`.
void show(FakeMachine& fake, const std::string& value, std::size_t shown, int code = 0) {
  fake.machine.environment["CUDA_VISIBLE_DEVICES"] = value;
  fake.unhidden = FakeMachine().answer;
  fake.unhidden->devices = {fake_device(0), fake_device(1)};
  if (shown == 0) return fake.driver_says(code);
  fake.answer.devices = fake.unhidden->devices;
  fake.answer.devices.resize(shown);
}

TEST(DoctorOnVisibility, AsksTheDriverWithAndWithoutTheVariable) {
  FakeMachine fake;
  show(fake, "0,1", 2);
  EXPECT_THAT(fake.codes(), IsEmpty());
  ASSERT_EQ(fake.asked.size(), 2U);
  EXPECT_THAT(fake.asked[1].without, ElementsAre("CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(fake.asked[1].list_only) << "hidden GPUs are not to be used";
}

TEST(DoctorOnVisibility, KnowsValuesThatHideAll) {
  for (const char* value : {"", "-1", "NoDevFiles"}) {
    FakeMachine fake;
    show(fake, value, 0, CUDA_ERROR_NO_DEVICE);
    EXPECT_THAT(fake.codes(), ElementsAre("all-gpus-hidden")) << value;
  }
}

TEST(DoctorOnVisibility, KnowsAGpuThatDoesNotExistAndOneThatIsNamedTwice) {
  FakeMachine fake;
  show(fake, "7,0", 0, CUDA_ERROR_NO_DEVICE);
  EXPECT_THAT(fake.codes(), ElementsAre("unknown-visible-device"));
  EXPECT_THAT(fake.found("unknown-visible-device").what, HasSubstr("'7,0'; without it there is 2"));
  show(fake, "0,0", 0, CUDA_ERROR_INVALID_DEVICE);
  EXPECT_THAT(fake.codes(), ElementsAre("duplicate-visible-device"));
}

TEST(DoctorOnVisibility, NamesTheEntryAtWhichTheDriverStopped) {
  FakeMachine fake;
  show(fake, "0,7", 1);
  EXPECT_THAT(fake.codes(), ElementsAre("visible-devices-cut-short"));
  EXPECT_THAT(fake.found("visible-devices-cut-short").why, HasSubstr("'7' names no GPU here"));
  show(fake, "0,,1", 1);
  EXPECT_THAT(fake.codes(), ElementsAre("visible-devices-cut-short"));
}

TEST(DoctorOnVisibility, NotesThatSomeAreHidden) {
  FakeMachine fake;
  for (const char* value : {"0", "GPU-0", "0,-1", "0,"}) {
    show(fake, value, 1);
    EXPECT_THAT(fake.codes(), ElementsAre("some-gpus-hidden")) << value;
  }
}

TEST(DoctorOnVisibility, LeavesTheVariableAloneWhereItIsNotTheCause) {
  FakeMachine fake;
  show(fake, "0", 0, CUDA_ERROR_SYSTEM_NOT_READY);
  EXPECT_THAT(fake.codes(), ElementsAre("fabric-manager"));
}

TEST(DoctorOnTheJitCache, KnowsWhyItDoesNotWork) {
  FakeMachine fake;
  fake.machine.environment["CUDA_CACHE_DISABLE"] = "1";
  EXPECT_THAT(fake.codes(), ElementsAre("jit-cache-disabled"));
  fake.machine.environment = {};
  EXPECT_THAT(fake.codes(), ElementsAre("jit-cache-no-home"));
  fake.machine.environment = {{"CUDA_CACHE_PATH", "/cache/kernels"}};
  fake.add("/cache/x");
  EXPECT_THAT(fake.codes(), IsEmpty());
  fake.machine.write_into = [](const std::string& path) {
    return path.ends_with("/cache") ? EROFS : 0;
  };
  EXPECT_THAT(fake.codes(), ElementsAre("jit-cache-unwritable"));
  EXPECT_THAT(fake.found("jit-cache-unwritable").what, HasSubstr("/cache: Read-only file system"));
}

TEST(DoctorOnTheJitCache, KnowsOneThatIsSmallOrFull) {
  FakeMachine fake;
  fake.machine.environment["CUDA_CACHE_MAXSIZE"] = "1000";
  EXPECT_THAT(fake.codes(), ElementsAre("jit-cache-small"));
  fake.add("/root/.nv/ComputeCache/1/2/kernel", std::string(990, 'x'));
  EXPECT_THAT(fake.codes(), ElementsAre("jit-cache-full"));
  fake.machine.environment["CUDA_CACHE_MAXSIZE"] = "large";  // The driver takes its own, 1 GiB.
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnVariables, KnowsThoseThatMakeCudaSlow) {
  FakeMachine fake;
  fake.machine.environment["CUDA_MODULE_LOADING"] = "EAGER";
  fake.machine.environment["CUDA_LAUNCH_BLOCKING"] = "1";
  fake.machine.environment["CUDA_DEVICE_MAX_CONNECTIONS"] = "32";
  EXPECT_THAT(fake.codes(), ElementsAre("eager-loading", "launch-blocking", "device-connections"));
  fake.machine.environment["CUDA_MODULE_LOADING"] = "LAZY";
  fake.machine.environment["CUDA_LAUNCH_BLOCKING"] = "0";
  for (const char* usual : {"1", "8", ""}) {
    fake.machine.environment["CUDA_DEVICE_MAX_CONNECTIONS"] = usual;
    EXPECT_THAT(fake.codes(), IsEmpty()) << usual;
  }
  fake.machine.environment["CUDA_DEVICE_MAX_CONNECTIONS"] = "many";
  EXPECT_THAT(fake.codes(), ElementsAre("device-connections"));
}

}  // namespace
}  // namespace warminit::test
