#include "warminit/exporter/address.h"

#include <gtest/gtest.h>

namespace warminit::exporter {
namespace {

TEST(Address, WithoutAHostIsOnTheLoopback) {
  for (const char* text : {"9400", ":9400", "localhost:9400", "127.0.0.1:9400"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(*address, (Address{"127.0.0.1", 9400})) << text;
  }
}

TEST(Address, MayBeAnyNumericOne) {
  EXPECT_EQ(parse_address("0.0.0.0:1"), (Address{"0.0.0.0", 1}));
  EXPECT_EQ(parse_address("10.1.2.3:65535"), (Address{"10.1.2.3", 65535}));
  EXPECT_EQ(parse_address("[::]:9400"), (Address{"::", 9400}));
  EXPECT_EQ(parse_address("[::1]:9400"), (Address{"::1", 9400}));
}

TEST(Address, ThatIsNoneIsRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv,
                                      ":"sv,
                                      "x"sv,
                                      "0"sv,
                                      ":0"sv,
                                      "65536"sv,
                                      "-1"sv,
                                      "+1"sv,
                                      "9400 "sv,
                                      " 9400"sv,
                                      "94.5"sv,
                                      "9400x"sv,
                                      "host:9400"sv,
                                      "1.2.3:9400"sv,
                                      "1.2.3.4.5:9400"sv,
                                      "::1:9400"sv,
                                      "[::1]"sv,
                                      "[]:9400"sv,
                                      "[::1:9400"sv,
                                      "[127.0.0.1]:9400"sv,
                                      "127.0.0.1:"sv,
                                      "http://127.0.0.1:9400"sv,
                                      "127.0.0.1:9400/metrics"sv,
                                      "127.0.0.1\0:9400"sv,
                                      "99999999999999999999"sv})
    EXPECT_FALSE(parse_address(text)) << text;
}

TEST(Address, ReadsBackAsItIsWritten) {
  for (const char* text : {"127.0.0.1:9400", "[::1]:9400", "[fe80::1]:80"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), text);
  }
}

}  // namespace
}  // namespace warminit::exporter
