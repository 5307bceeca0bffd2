#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "doctor/fake_machine.h"
#include "os/child.h"
#include "warminit/cuda/abi.h"

namespace warminit::test {
namespace {

using namespace cuda::abi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kLibrary = "/usr/lib64/libcuda.so.1";

/// An ELF header and no more.
std::string elf_of(Elf64_Half machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = machine;
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

TEST(DoctorOnTheLibrary, SaysThatThereIsNone) {
  FakeMachine fake;
  fake.lose_library();
  EXPECT_THAT(fake.codes(), ElementsAre("no-libcuda"));
  EXPECT_THAT(fake.found("no-libcuda").what, HasSubstr("cannot open shared object file"));
}

TEST(DoctorOnTheLibrary, NamesCapabilitiesThatLackCompute) {
  FakeMachine fake;
  fake.lose_library();
  fake.machine.environment["NVIDIA_DRIVER_CAPABILITIES"] = "utility,video";
  EXPECT_THAT(fake.codes(), ElementsAre("no-compute-capability"));
  for (const char* enough : {"all", "compute,utility", ""}) {
    fake.machine.environment["NVIDIA_DRIVER_CAPABILITIES"] = enough;
    EXPECT_THAT(fake.codes(), ElementsAre("no-libcuda")) << enough;
  }
}

TEST(DoctorOnTheLibrary, FindsItWhereTheLoaderDoesNotLook) {
  FakeMachine fake;
  fake.lose_library();
  fake.add("/usr/local/nvidia/lib64/libcuda.so.1");
  EXPECT_THAT(fake.codes(), ElementsAre("library-not-searched"));
  EXPECT_THAT(fake.found("library-not-searched").remedy, HasSubstr("/usr/local/nvidia/lib64"));
}

TEST(DoctorOnTheLibrary, SeesOneOfAnotherArchitecture) {
  FakeMachine fake;
  fake.lose_library();
  fake.add(kLibrary, elf_of(EM_S390));
  EXPECT_THAT(fake.codes(), ElementsAre("wrong-architecture"));
  EXPECT_THAT(fake.found("wrong-architecture").what, HasSubstr("machine 22"));
}

TEST(DoctorOnTheLibrary, SeesOneThatIsNoLibrary) {
  FakeMachine fake;
  fake.lose_library();
  fake.add(kLibrary);  // An empty placeholder.
  EXPECT_THAT(fake.codes(), ElementsAre("broken-library"));
  fake.remove(kLibrary);
  fake.link(kLibrary, "libcuda.so.999");
  EXPECT_THAT(fake.found("broken-library").what, HasSubstr("a dangling link"));
}

TEST(DoctorOnTheLibrary, SeesOneThatThisUserMayNotRead) {
  in_child([] {
    FakeMachine fake;
    fake.lose_library();
    fake.add(kLibrary, "text");
    std::filesystem::permissions(fake.machine.at(kLibrary), std::filesystem::perms::none);
    std::filesystem::permissions(fake.machine.root, std::filesystem::perms::all);
    constexpr uid_t kNobody = 65534;
    ASSERT_TRUE(::geteuid() != 0 || ::seteuid(kNobody) == 0);
    // Only the library is in question.
    fake.machine.write_into = fake.machine.open_device = [](const std::string&) { return 0; };
    EXPECT_THAT(fake.codes(), ElementsAre("unreadable-library"));
    (void)::seteuid(::getuid());
  });
}

TEST(DoctorOnTheLibrary, KnowsTheStubAndADriverThatIsTooOld) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_STUB_LIBRARY);
  EXPECT_THAT(fake.codes(), ElementsAre("stub-library"));
  fake.driver_says(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
  EXPECT_THAT(fake.codes(), ElementsAre("old-driver"));
}

TEST(DoctorOnTheLibrary, LooksThroughLdLibraryPath) {
  FakeMachine fake;
  fake.machine.environment["LD_LIBRARY_PATH"] = "/cuda/lib64/stubs:/cuda/compat:/nowhere/stubs:";
  EXPECT_THAT(fake.codes(), IsEmpty());  // None of them is there.
  fake.add("/cuda/lib64/stubs/libcuda.so");
  fake.add("/cuda/compat/libcuda.so.1");
  EXPECT_THAT(fake.codes(), ElementsAre("stub-in-path", "compat-in-path"));
  EXPECT_EQ(doctor::exit_code(fake.examine()), 1);
}

TEST(DoctorOnTheLibrary, LooksOnlyAtTheFileThatTheOptionNames) {
  FakeMachine fake;
  fake.lose_library();
  fake.add(kLibrary);
  fake.machine.driver_library = "/opt/libcuda.so.1";
  EXPECT_THAT(fake.codes(), ElementsAre("no-libcuda"));
}

TEST(DoctorOnVersions, NamesBothWhereTheyDiffer) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  fake.add("/proc/driver/nvidia/version", "NVRM version: x  570.10.01  date");
  EXPECT_THAT(fake.codes(), ElementsAre("version-mismatch"));
  EXPECT_THAT(fake.found("version-mismatch").what,
              HasSubstr("is version 580.65.06, the kernel module 570.10.01"));
}

TEST(DoctorOnVersions, LeavesADifferenceAloneWithWhichTheDriverWorks) {
  const FakeMachine fake;
  fake.add("/proc/driver/nvidia/version", "NVRM version: x  570.10.01  date");
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnVersions, KnowsACompatibilityLibraryThatIsNotAllowed) {
  FakeMachine fake;
  fake.driver_says(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
  EXPECT_THAT(fake.codes(), ElementsAre("compat-not-supported"));
}

}  // namespace
}  // namespace warminit::test
