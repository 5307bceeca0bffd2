#include <gtest/gtest.h>

#include "support/process.h"
#include "support/temporary_folder.h"

/// What the command and the holder find in their environment.
namespace warminit::test {
namespace {

std::string printed(const std::vector<std::string>& options, const std::string& what) {
  Process process({.argv = warminit(options, {"sh", "-c", "echo " + what}),
                   .environment = simulated({{"CUDA_CACHE_PATH", "/of/the/user"}})});
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.out();
}

TEST(Environment, LeadsTheJitCacheOfTheCommandWhereItIsToBe) {
  const TemporaryFolder place;
  EXPECT_EQ(printed({"--jit-cache=" + place.path() + "/jit"}, "$CUDA_CACHE_PATH"),
            place.path() + "/jit\n");
  EXPECT_EQ(printed({}, "$CUDA_CACHE_PATH $CUDA_CACHE_MAXSIZE"), "/of/the/user\n");
}

TEST(Environment, LeadsTheJitCacheOfTheHolderWhereItIsToBe) {
  const TemporaryFolder place;
  const std::string folder = place.path() + "/jit";
  EXPECT_EQ(printed({"--jit-cache=" + folder, "--wait-ready=10s", "--log-level=off"},
                    "$(tr '\\0' '\\n' </proc/$(pgrep -P $PPID -f '^warminit-holder')/environ | "
                    "grep ^CUDA_CACHE_PATH)"),
            "CUDA_CACHE_PATH=" + folder + "\n");
}

TEST(Environment, IsNoReasonNotToRunTheCommand) {
  Process process(
      {.argv = warminit({"--jit-cache=/proc/nowhere"}, {"true"}), .environment = simulated()});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(count(process.err(), "--jit-cache '/proc/nowhere', ignoring: "), 1) << process.err();
}

}  // namespace
}  // namespace warminit::test
