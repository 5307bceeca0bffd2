#include "warminit/exporter/privileges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <iterator>

#include "os/child.h"

namespace warminit::exporter {
namespace {

using test::in_child;
using ::testing::HasSubstr;

std::string own_status() {
  std::ifstream file("/proc/self/status");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Privileges, AreGoneForGood) {
  in_child([] {
    drop_privileges();
    const std::string status = own_status();
    EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
    for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
      EXPECT_THAT(status, HasSubstr(std::string(set) + ":\t0000000000000000\n"));
    rlimit limit{};
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(limit.rlim_max, 64U);
  });
}

TEST(Privileges, OfRootAreThoseOfNobody) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  in_child([] {
    drop_privileges();
    const std::string status = own_status();
    EXPECT_THAT(status, HasSubstr("Uid:\t65534\t65534\t65534\t65534\n"));
    EXPECT_THAT(status, HasSubstr("Gid:\t65534\t65534\t65534\t65534\n"));
    EXPECT_THAT(status, HasSubstr("CapBnd:\t0000000000000000\n"));
    EXPECT_NE(::setuid(0), 0);
  });
}

}  // namespace
}  // namespace warminit::exporter
