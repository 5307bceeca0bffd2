#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "support/process.h"

namespace warminit::test {
namespace {

/// Private memory of a process, in kB: what growth would show in.
long private_kb(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  long total = 0;
  for (std::string name; file >> name;) {
    long value = 0;
    if (name == "Private_Dirty:" && file >> value) total += value;
  }
  return total;
}

long open_descriptors(pid_t pid) {
  const std::filesystem::directory_iterator folder("/proc/" + std::to_string(pid) + "/fd");
  return std::distance(begin(folder), end(folder));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(Stress, LosesNoOrphanAndNoSignalWhileTheHolderKeepsCrashing) {
  if (!can_make_namespaces()) GTEST_SKIP() << "needs the right to make PID namespaces";
  constexpr int kOrphans = 100000;
  constexpr int kSignals = 10000;
  const std::string command =
      program("orphans") + " " + std::to_string(kOrphans) + " & exec " + program("count_signals");
  Process process({.argv = warminit({"--restart-delay=100ms", "--restart-delay-max=100ms",
                                     "--restart-limit=1000000", "--log-level=warn"},
                                    {"sh", "-c", command}),
                   .environment = simulated({{"SIMCUDA_CRASH", "cuLaunchKernel"}}),
                   .place = Process::Place::pid_namespace});
  ASSERT_TRUE(process.wait_for("listening"));
  ASSERT_TRUE(process.wait_for("starting it again in 100 ms")) << process.err();
  const long kb_before = private_kb(process.pid());
  const long descriptors_before = open_descriptors(process.pid());

  // Real-time signals queue, so that each one of them must arrive.
  for (int sent = 0; sent < kSignals; ++sent)
    ASSERT_EQ(::sigqueue(process.pid(), SIGRTMIN + sent % 20, sigval{}), 0);
  ASSERT_TRUE(process.wait_for("made " + std::to_string(kOrphans), std::chrono::minutes(5)));

  // A sanitizer keeps what is freed, so that its memory says nothing about ours.
  if (!kSanitized) {
    EXPECT_LT(private_kb(process.pid()), kb_before + 256);
  }
  // The link to a holder that runs just now is one more, or one less.
  EXPECT_LE(open_descriptors(process.pid()), descriptors_before + 1);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_NE(process.out().find("counted " + std::to_string(kSignals) + "\n"), std::string::npos)
      << process.out();
}

TEST(Stress, ReapsEveryOrphan) {
  constexpr int kOrphans = 20000;
  Process process({.argv = warminit({"--restart-delay=100ms", "--restart-delay-max=100ms",
                                     "--restart-limit=1000000"},
                                    {program("orphans"), std::to_string(kOrphans)}),
                   .environment = simulated({{"SIMCUDA_CRASH", "cuLaunchKernel"}})});
  ASSERT_TRUE(process.wait_for("made " + std::to_string(kOrphans), std::chrono::minutes(2)));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_NE(process.err().find("reaped " + std::to_string(kOrphans) + " orphans"),
            std::string::npos)
      << process.err();
}

}  // namespace
}  // namespace warminit::test
