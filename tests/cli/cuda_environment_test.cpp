#include "warminit/cli/cuda_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/parsing.h"
#include "os/child.h"
#include "support/temporary_folder.h"
#include "warm/log_capture.h"

namespace warminit::cli {
namespace {

using test::ScopedVariable;
using ::testing::HasSubstr;

TEST(ModuleLoading, IsEagerFromTheFirstDriverThatCouldBeLazyToTheFirstThatIs) {
  for (const char* version : {"515.43.04", "525.60.13", "530.30.02", "534"})
    EXPECT_TRUE(loads_eagerly(version)) << version;
  for (const char* version : {"470.57.02", "514.99", "535.54.03", "580.159.04", "unknown", ""})
    EXPECT_FALSE(loads_eagerly(version)) << version;
}

TEST(ModuleLoading, OfTheUserIsLeftAlone) {
  const ScopedVariable variable("CUDA_MODULE_LOADING", "EAGER");
  EXPECT_TRUE(cuda_environment().empty());
}

class JitCache : public ::testing::Test {
 protected:
  ScopedVariable path_{"CUDA_CACHE_PATH", "/of/the/user"};
  ScopedVariable size_{"CUDA_CACHE_MAXSIZE", nullptr};
  ScopedVariable disabled_{"CUDA_CACHE_DISABLE", nullptr};
  test::LogCapture log_;
  test::TemporaryFolder place_;
};

TEST_F(JitCache, IsMadeAndShared) {
  const std::string folder = place_.path() + "/a/b";
  share_jit_cache(folder);
  EXPECT_EQ(::access(folder.c_str(), W_OK), 0);
  EXPECT_STREQ(::getenv("CUDA_CACHE_PATH"), folder.c_str());
  EXPECT_STREQ(::getenv("CUDA_CACHE_MAXSIZE"), "4294967296");
  EXPECT_EQ(log_.take(), "");
  share_jit_cache(folder);
  EXPECT_EQ(log_.take(), "") << "it may be there already";
}

TEST_F(JitCache, KeepsTheSizeThatTheUserHasSet) {
  const ScopedVariable size("CUDA_CACHE_MAXSIZE", "1000");
  share_jit_cache(place_.path());
  EXPECT_STREQ(::getenv("CUDA_CACHE_MAXSIZE"), "1000");
}

TEST_F(JitCache, ThatCannotBeMadeIsSaidAndChangesNothing) {
  const std::string file = place_.add("file", "");
  share_jit_cache(file + "/folder");
  EXPECT_THAT(log_.take(),
              HasSubstr("--jit-cache '" + file + "/folder', ignoring: Not a directory"));
  EXPECT_STREQ(::getenv("CUDA_CACHE_PATH"), "/of/the/user");
  EXPECT_EQ(::getenv("CUDA_CACHE_MAXSIZE"), nullptr);
}

TEST_F(JitCache, ThatMayNotBeWrittenIsSaidAndChangesNothing) {
  constexpr uid_t kNobody = 65534;
  test::in_child([this] {
    if (::geteuid() == 0) {
      ASSERT_EQ(::setuid(kNobody), 0);
    }
    share_jit_cache("/");
    EXPECT_THAT(log_.take(), HasSubstr("--jit-cache '/', ignoring: Permission denied"));
    EXPECT_STREQ(::getenv("CUDA_CACHE_PATH"), "/of/the/user");
  });
}

TEST_F(JitCache, ThatAVariableTurnsOffIsSaid) {
  const ScopedVariable disabled("CUDA_CACHE_DISABLE", "1");
  share_jit_cache(place_.path());
  EXPECT_THAT(log_.take(), HasSubstr("CUDA_CACHE_DISABLE='1' turns the cache"));
}

TEST(JitCacheOption, IsAPathThatIsFoundAlsoFromAnotherFolder) {
  EXPECT_EQ(test::options_of({"--", "prog"}).jit_cache, "");
  EXPECT_EQ(test::options_of({"--jit-cache=/x/y", "--", "prog"}).jit_cache, "/x/y");
  const ScopedVariable variable("WARMINIT_JIT_CACHE", "/v");
  EXPECT_EQ(test::options_of({"--", "prog"}).jit_cache, "/v");
  const Answer answer = test::answer_to({"--jit-cache", "", "--", "prog"});
  EXPECT_EQ(answer.code, 125);
  EXPECT_THAT(answer.text, HasSubstr("'' is no folder"));
}

}  // namespace
}  // namespace warminit::cli
