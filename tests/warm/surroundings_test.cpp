#include "warminit/warm/surroundings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "os/child.h"

namespace warminit::warm {
namespace {

using test::ScopedVariable;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(DeviceNodeProblems, NameTheControlNodeWhereItIsMissing) {
  if (::access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "this machine has /dev/nvidiactl";
  EXPECT_THAT(device_node_problems(), Contains("/dev/nvidiactl: No such file or directory"));
}

TEST(DeviceNodeProblems, NameTheFirstGpuWhereThereIsNone) {
  for (const auto& entry : std::filesystem::directory_iterator("/dev"))
    if (entry.path().filename().string().rfind("nvidia", 0) == 0)
      GTEST_SKIP() << "this machine has " << entry.path();
  EXPECT_THAT(device_node_problems(),
              ElementsAre(StartsWith("/dev/nvidia-uvm: "), StartsWith("/dev/nvidia0: "),
                          StartsWith("/dev/nvidiactl: ")));
}

TEST(HidingVariables, AreThoseThatAreSet) {
  const ScopedVariable cuda("CUDA_VISIBLE_DEVICES", nullptr);
  const ScopedVariable nvidia("NVIDIA_VISIBLE_DEVICES", nullptr);
  EXPECT_THAT(hiding_variables(), IsEmpty());
  const ScopedVariable none("CUDA_VISIBLE_DEVICES", "");  // Set, and hides all.
  EXPECT_THAT(hiding_variables(), ElementsAre("CUDA_VISIBLE_DEVICES=''"));
  const ScopedVariable void_("NVIDIA_VISIBLE_DEVICES", "void");
  EXPECT_THAT(hiding_variables(),
              ElementsAre("CUDA_VISIBLE_DEVICES=''", "NVIDIA_VISIBLE_DEVICES='void'"));
}

TEST(HidingVariables, LeaveOutWhatHidesNothing) {
  const ScopedVariable cuda("CUDA_VISIBLE_DEVICES", nullptr);
  const ScopedVariable nvidia("NVIDIA_VISIBLE_DEVICES", "all");  // As in nvidia/cuda images.
  EXPECT_THAT(hiding_variables(), IsEmpty());
}

TEST(UsesMps, IfOneOfItsVariablesIsSet) {
  test::in_child([] {
    for (const std::string& name : mps_variables()) ::unsetenv(name.c_str());
    EXPECT_FALSE(uses_mps());
    for (const std::string& name : mps_variables()) {
      const ScopedVariable variable(name, "x");
      EXPECT_TRUE(uses_mps()) << name;
    }
  });
  EXPECT_THAT(mps_variables(), Contains("CUDA_MPS_PIPE_DIRECTORY"));
}

TEST(LibraryVersion, IsThatOfTheFileBehindTheLink) {
  const test::TemporaryFolder folder;
  folder.add("libcuda.so.580.65.06", "");
  const std::string link = folder.path() + "/libcuda.so.1";
  std::filesystem::create_symlink("libcuda.so.580.65.06", link);
  EXPECT_EQ(library_version(link), "580.65.06");
}

TEST(LibraryVersion, IsUnknownWhereTheNameHasNone) {
  const test::TemporaryFolder folder;
  const std::string plain = folder.add("libcuda.so", "");
  const std::string one = folder.add("libcuda.so.1", "");
  EXPECT_EQ(library_version(plain), "unknown");
  EXPECT_EQ(library_version(one), "unknown");
  EXPECT_EQ(library_version("libcuda.so.1"), "unknown");
  EXPECT_EQ(library_version(""), "unknown");
  EXPECT_EQ(library_version("/nowhere/libcuda.so.580.65.06"), "580.65.06");
}

TEST(KernelModuleVersion, IsUnknownWithoutTheModule) {
  if (::access("/proc/driver/nvidia/version", F_OK) == 0) {
    EXPECT_THAT(kernel_module_version(), ::testing::MatchesRegex("[0-9]+\\.[0-9.]+"));
  } else {
    EXPECT_EQ(kernel_module_version(), "unknown");
  }
}

TEST(Join, PutsCommasBetween) {
  EXPECT_EQ(join({}, "none"), "none");
  EXPECT_EQ(join({"a"}, "none"), "a");
  EXPECT_EQ(join({"a", "b", "c"}, "none"), "a, b, c");
}

}  // namespace
}  // namespace warminit::warm
