#include "warminit/warm/gate.h"

namespace warminit::warm {

Verdict judge(const State& state, Requirement requirement, bool time_over) {
  const Readiness readiness = state.readiness();
  const bool settled = readiness != Readiness::pending || time_over;
  switch (requirement) {
    case Requirement::none:
      return settled ? Verdict::go : Verdict::wait;
    case Requirement::any:
      if (state.count(DeviceStatus::ready) > 0) return Verdict::go;
      break;
    case Requirement::all:
      if (readiness == Readiness::ready) return Verdict::go;
      break;
  }
  return settled ? Verdict::refuse : Verdict::wait;
}

}  // namespace warminit::warm
