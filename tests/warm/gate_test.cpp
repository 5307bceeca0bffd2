#include "warminit/warm/gate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warm/samples.h"

namespace warminit::warm {
namespace {

using test::state_with;
using enum DeviceStatus;

constexpr Verdict kWait = Verdict::wait;
constexpr Verdict kGo = Verdict::go;
constexpr Verdict kRefuse = Verdict::refuse;

State given_up() {
  State state = state_with({ready});
  state.holder_ended({}, /*will_restart=*/false);
  return state;
}

State restarting() {
  State state = state_with({ready});
  state.holder_ended({}, /*will_restart=*/true);
  return state;
}

TEST(Gate, JudgesEachStateByTheRequirement) {
  struct Row {
    const char* name;
    State state;
    Verdict none, any, all;                 // Before the time is over,
    Verdict late_none, late_any, late_all;  // and after.
  };
  const Row rows[] = {
      {"unknown", State(), kWait, kWait, kWait, kGo, kRefuse, kRefuse},
      {"warming", state_with({warming}), kWait, kWait, kWait, kGo, kRefuse, kRefuse},
      {"ready", state_with({ready, ready}), kGo, kGo, kGo, kGo, kGo, kGo},
      {"ready but for a skipped", state_with({ready, skipped}), kGo, kGo, kGo, kGo, kGo, kGo},
      {"one of two", state_with({ready, warming}), kWait, kGo, kWait, kGo, kGo, kRefuse},
      {"partial", state_with({ready, failed}), kGo, kGo, kRefuse, kGo, kGo, kRefuse},
      // The holder holds nothing and is about to begin again.
      {"all failed", state_with({failed}), kWait, kWait, kWait, kGo, kRefuse, kRefuse},
      {"all skipped", state_with({skipped}), kGo, kRefuse, kRefuse, kGo, kRefuse, kRefuse},
      {"no device", state_with({}), kGo, kRefuse, kRefuse, kGo, kRefuse, kRefuse},
      {"given up", given_up(), kGo, kRefuse, kRefuse, kGo, kRefuse, kRefuse},
      {"restarting", restarting(), kWait, kWait, kWait, kGo, kRefuse, kRefuse},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(judge(row.state, Requirement::none, false), row.none) << row.name;
    EXPECT_EQ(judge(row.state, Requirement::any, false), row.any) << row.name;
    EXPECT_EQ(judge(row.state, Requirement::all, false), row.all) << row.name;
    EXPECT_EQ(judge(row.state, Requirement::none, true), row.late_none) << row.name;
    EXPECT_EQ(judge(row.state, Requirement::any, true), row.late_any) << row.name;
    EXPECT_EQ(judge(row.state, Requirement::all, true), row.late_all) << row.name;
  }
}

}  // namespace
}  // namespace warminit::warm
