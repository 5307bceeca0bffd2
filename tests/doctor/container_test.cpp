#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "doctor/fake_machine.h"

namespace warminit::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(DoctorOnLimits, KnowsASmallShm) {
  FakeMachine fake;
  fake.machine.capacity = [](const std::string& path) {
    EXPECT_THAT(path, HasSubstr("/dev/shm"));
    return std::optional(64 * kMiB);  // Docker's.
  };
  EXPECT_THAT(fake.codes(), ElementsAre("small-shm"));
  EXPECT_EQ(fake.found("small-shm").what, "/dev/shm has 64 MiB");
  fake.machine.capacity = [](const std::string&) { return std::optional<std::uint64_t>(); };
  EXPECT_THAT(fake.found("small-shm").what, HasSubstr("there is none"));
}

TEST(DoctorOnLimits, KnowsLowOnesOfTheProcess) {
  const FakeMachine fake;
  fake.add("/proc/self/limits",
           "Max locked memory         8388608              8388608              bytes     \n"
           "Max open files            1024                 524288               files     \n");
  EXPECT_THAT(fake.codes(), ElementsAre("low-open-files", "low-memlock"));
  EXPECT_EQ(fake.found("low-open-files").what, "the soft limit of open files is 1024");
  EXPECT_EQ(fake.found("low-memlock").what, "the limit of locked memory is 8192 KiB");
}

TEST(DoctorOnLimits, AreNoMatterWithoutProc) {
  const FakeMachine fake;
  fake.remove("/proc/self");
  fake.remove("/proc/1");
  fake.remove("/sys");
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnLimits, KnowsALowLimitOfProcesses) {
  const FakeMachine fake;
  fake.add("/sys/fs/cgroup/pids.max", "100\n");
  EXPECT_THAT(fake.codes(), ElementsAre("low-pids"));
  fake.add("/sys/fs/cgroup/pids.max", "2048\n");
  fake.add("/sys/fs/cgroup/pids.current", "20\n");
  EXPECT_THAT(fake.codes(), IsEmpty());
  fake.add("/sys/fs/cgroup/pids.current", "2000\n");
  EXPECT_THAT(fake.found("low-pids").what, HasSubstr("pids.max is 2048, 2000 are in use"));
}

TEST(DoctorOnLimits, KnowsThatOfCgroupV1) {
  const FakeMachine fake;
  fake.remove("/sys/fs/cgroup/pids.max");
  fake.add("/sys/fs/cgroup/pids/pids.max", "100\n");
  EXPECT_THAT(fake.codes(), ElementsAre("low-pids"));
}

TEST(DoctorOnInit, KnowsAPid1ThatIsNone) {
  const FakeMachine fake;
  fake.add("/proc/1/comm", "python3\n");
  EXPECT_THAT(fake.codes(), ElementsAre("no-init"));
  EXPECT_EQ(fake.found("no-init").what, "PID 1 is 'python3'");
  for (const char* init :
       {"tini", "dumb-init", "catatonit", "docker-init", "s6-svscan", "systemd"}) {
    fake.add("/proc/1/comm", init + std::string("\n"));
    EXPECT_THAT(fake.codes(), IsEmpty()) << init;
  }
}

TEST(DoctorOnInit, TellsAWarminitThatIsOutOfReachFromNone) {
  FakeMachine fake;
  fake.machine.connect = [](const std::string&) { return ECONNREFUSED; };
  EXPECT_THAT(fake.codes(), ElementsAre("socket-unreachable"));
  EXPECT_THAT(fake.found("socket-unreachable").what,
              HasSubstr("/run/warminit/control.sock: Connection refused"));
  fake.add("/proc/1/comm", "tini\n");
  EXPECT_THAT(fake.codes(), ElementsAre("no-warminit"));
  EXPECT_EQ(doctor::exit_code(fake.examine()), 0);
}

TEST(DoctorOnInit, AsksNobodyWhereThereIsToBeNoSocket) {
  FakeMachine fake;
  fake.machine.socket = "";
  fake.machine.connect = [](const std::string&) { return ENOENT; };
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnInit, AsksAtTheSocketThatIsNamed) {
  FakeMachine fake;
  fake.machine.socket = "/data/sock";
  fake.machine.connect = [](const std::string& path) {
    return path.ends_with("/data/sock") ? 0 : 1;
  };
  EXPECT_THAT(fake.codes(), IsEmpty());
}

TEST(DoctorOnInit, KnowsThatNoSocketCanBeMade) {
  FakeMachine fake;
  fake.machine.connect = [](const std::string&) { return ENOENT; };
  fake.remove("/run");
  EXPECT_THAT(fake.codes(), ElementsAre("socket-unreachable", "no-run-folder"));
  fake.add("/run/x");
  fake.machine.write_into = [](const std::string& path) {
    return path.ends_with("/run") ? EROFS : 0;
  };
  EXPECT_EQ(fake.found("no-run-folder").what, "/run: Read-only file system");
}

}  // namespace
}  // namespace warminit::test
