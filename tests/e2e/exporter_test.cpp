#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/process.h"

namespace warminit::test {
namespace {

TEST(Exporter, ThatInitDidNotStartSaysWhatToDo) {
  Process process({.argv = warminit({"exporter", "--metrics=9400"}, {})});
  EXPECT_EQ(process.wait(), 125);
  EXPECT_THAT(process.err(), ::testing::HasSubstr("use --metrics"));
}

}  // namespace
}  // namespace warminit::test
