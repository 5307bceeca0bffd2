#include "warminit/cli/duration.h"

#include <gtest/gtest.h>

#include <optional>

namespace warminit::cli {
namespace {

using namespace std::chrono_literals;

TEST(Duration, IsANumberAndAUnit) {
  struct Case {
    const char* text;
    std::chrono::milliseconds duration;
  };
  const Case cases[] = {
      {"500ms", 500ms},    {"30s", 30s},     {"2m", 2min},    {"1h", 1h},           {"0s", 0ms},
      {"0ms", 0ms},        {"1.5s", 1500ms}, {"0.5m", 30s},   {"0.25h", 15min},     {"007s", 7s},
      {"1.0006s", 1001ms}, {"0.4ms", 0ms},   {"0.1s", 100ms}, {"876000h", 876000h},
  };
  for (const auto& [text, duration] : cases) EXPECT_EQ(parse_duration(text), duration) << text;
}

TEST(Duration, RefusesABareNumber) {
  for (const char* text : {"30", "0", "1.5"}) EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text :
       {"",     "s",    "ms",  "-1s",  "-0.001ms", "+1s",    " 1s",   "1s ",       "1 s",   "1S",
        "1sec", "1d",   "1us", "1,5s", "1e3s",     "1e3",    "0x10s", "1s1s",      "1m30s", "infs",
        "inf",  "nans", "nan", "--",   "true",     "1.2.3s", "\xff",  "1\xc2\xb5s"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, RefusesMoreThanAHundredYears) {
  for (const char* text : {"876001h", "99999999999999999999s",
                           "9999999999999999999999999999999999999999999999999999999h"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, ReadsOnlyWhatItIsGiven) {
  const std::string_view text = "30s1";
  EXPECT_EQ(parse_duration(text.substr(0, 3)), 30s);
}

}  // namespace
}  // namespace warminit::cli
