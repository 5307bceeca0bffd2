#include "warminit/warm/health.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "cuda/simulated.h"
#include "os/child.h"
#include "support/temporary_folder.h"
#include "warm/outcome.h"

namespace warminit::warm {
namespace {

using namespace std::chrono_literals;
using test::in_simulation;
using test::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum DeviceStatus;

/// What is brought up here, and looked at again.
struct Checked {
  explicit Checked(HoldLevel level = HoldLevel::context)
      : outcome(level), health(outcome.held, open_device_files(), [this](const Report& report) {
          reports.push_back(std::get<DeviceReport>(report));
        }) {
    EXPECT_FALSE(outcome.diagnosis);
  }
  /// Checks until a check says that this process is of no more use.
  Diagnosis check_to_the_end() {
    const auto deadline = std::chrono::steady_clock::now() + test::kUntilFailure;
    while (std::chrono::steady_clock::now() < deadline)
      if (auto diagnosis = health.check()) return *diagnosis;
    ADD_FAILURE() << "does not fail";
    return {};
  }
  Outcome outcome;
  std::vector<DeviceReport> reports;
  Health health;
};

TEST(Health, CountsTheChecksThatEachDevicePasses) {
  in_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_MEMORY_MIB", "1000"}},
                [](const cuda::Driver&) {
                  Checked checked;
                  for (std::uint64_t i = 1; i <= 3; ++i) {
                    checked.reports.clear();
                    EXPECT_FALSE(checked.health.check());
                    ASSERT_EQ(checked.reports.size(), 2U);
                    for (const DeviceReport& device : checked.reports) {
                      EXPECT_EQ(device.status, ready);
                      EXPECT_EQ(device.level, HoldLevel::context);
                      EXPECT_EQ(device.checks.passed, i);
                      EXPECT_EQ(device.checks.failed, 0U);
                      EXPECT_GT(device.checks.last_seconds, 0);
                      ASSERT_TRUE(device.memory);
                      EXPECT_EQ(device.memory->total_bytes, std::uint64_t{1000} << 20);
                      EXPECT_LT(device.memory->free_bytes, device.memory->total_bytes);
                    }
                  }
                });
}

TEST(Health, LooksAtDevicesThatAreHeldForLessWithoutAKernel) {
  in_simulation({{"SIMCUDA_COMPUTE_MODE", "exclusive"}, {"SIMCUDA_FAIL", "cuLaunchKernel:719"}},
                [](const cuda::Driver&) {
                  Checked checked;
                  EXPECT_FALSE(checked.health.check());
                  ASSERT_EQ(checked.reports.size(), 1U);
                  EXPECT_EQ(checked.reports[0].checks.passed, 1U);
                  EXPECT_THAT(checked.reports[0].problem->reason, HasSubstr("compute mode"));
                });
}

TEST(Health, LeavesDevicesAloneThatAreNotHeld) {
  in_simulation({{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_FAIL", "cuMemAlloc:1:1"}},
                [](const cuda::Driver&) {
                  Checked checked;
                  ASSERT_EQ(checked.outcome.last(1).status, failed);
                  EXPECT_FALSE(checked.health.check());
                  ASSERT_EQ(checked.reports.size(), 1U);
                  EXPECT_EQ(checked.reports[0].ordinal, 0);
                });
}

TEST(Health, DoesWithoutFiguresOfMemory) {
  in_simulation({{"SIMCUDA_FAIL", "cuMemGetInfo:1"}}, [](const cuda::Driver&) {
    Checked checked;
    EXPECT_FALSE(checked.health.check());
    EXPECT_EQ(checked.reports.at(0).status, ready);
    EXPECT_FALSE(checked.reports.at(0).memory);
  });
}

TEST(Health, LosesADeviceToAnErrorThatOnlyAFreshProcessSurvives) {
  in_simulation({{"SIMCUDA_STICKY_AFTER_MS", "2000"}}, [](const cuda::Driver&) {
    Checked checked;
    const Diagnosis diagnosis = checked.check_to_the_end();
    EXPECT_EQ(diagnosis.response, Response::restart);
    EXPECT_EQ(diagnosis.problem.code, cuda::abi::CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_THAT(diagnosis.problem.remedy, HasSubstr("Xid"));
    const DeviceReport& last = checked.reports.back();
    EXPECT_EQ(last.status, lost);
    EXPECT_EQ(last.level, HoldLevel::off);
    EXPECT_EQ(last.problem->code, cuda::abi::CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(last.checks.failed, 1U);
    EXPECT_EQ(last.checks.passed, checked.reports.size() - 1);
  });
}

/// A device file as the driver keeps open, in a folder of ours.
class HealthOfAFile : public ::testing::Test {
 protected:
  void SetUp() override {
    put_back();
    if (!os::Fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC)))
      GTEST_SKIP() << "no device file can be made and opened here";
  }
  void put_back() const { (void)::mknod(path_.c_str(), S_IFCHR | 0600, ::makedev(1, 3)); }
  void take_away() const { ASSERT_EQ(::unlink(path_.c_str()), 0); }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/gpu";
};

TEST_F(HealthOfAFile, IsFoundAmongWhatTheDriverHasOpen) {
  in_simulation({{"SIMCUDA_DEVICE_FILE", path_}}, [this](const cuda::Driver& driver) {
    EXPECT_THAT(open_device_files(), IsEmpty());
    ASSERT_EQ(driver.cuInit(0), cuda::abi::CUDA_SUCCESS);
    EXPECT_THAT(open_device_files(), ElementsAre(path_));
    take_away();
    EXPECT_THAT(open_device_files(), ElementsAre(path_)) << "it is looked for there all the same";
  });
}

TEST_F(HealthOfAFile, IsLostWhileTheFileIsAwayAndReadyOnceItIsBack) {
  in_simulation({{"SIMCUDA_DEVICE_FILE", path_}, {"SIMCUDA_DEVICES", "2"}},
                [this](const cuda::Driver&) {
                  Checked checked;
                  EXPECT_FALSE(checked.health.check());
                  take_away();
                  for (int i = 0; i < 2; ++i) EXPECT_FALSE(checked.health.check());
                  const DeviceReport away = checked.reports.back();
                  EXPECT_EQ(away.status, lost);
                  EXPECT_EQ(away.level, HoldLevel::context) << "this process still holds it";
                  ASSERT_TRUE(away.problem);
                  EXPECT_EQ(away.problem->code, 0);
                  EXPECT_EQ(away.problem->reason,
                            "no new process can use it: " + path_ + ": No such file or directory");
                  EXPECT_EQ(away.checks.passed, 1U);
                  EXPECT_EQ(away.checks.failed, 2U);
                  put_back();
                  EXPECT_FALSE(checked.health.check());
                  const DeviceReport back = checked.reports.back();
                  EXPECT_EQ(back.status, ready);
                  EXPECT_FALSE(back.problem);
                  EXPECT_EQ(back.checks.passed, 2U);
                });
}

TEST_F(HealthOfAFile, IsHeldForLessAsBeforeOnceItIsBack) {
  in_simulation({{"SIMCUDA_DEVICE_FILE", path_}, {"SIMCUDA_COMPUTE_MODE", "exclusive"}},
                [this](const cuda::Driver&) {
                  Checked checked;
                  take_away();
                  EXPECT_FALSE(checked.health.check());
                  put_back();
                  EXPECT_FALSE(checked.health.check());
                  EXPECT_EQ(checked.reports.back().status, ready);
                  ASSERT_TRUE(checked.reports.back().problem);
                  EXPECT_THAT(checked.reports.back().problem->reason, HasSubstr("compute mode"));
                });
}

}  // namespace
}  // namespace warminit::warm
