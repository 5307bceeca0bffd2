#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "warminit/warm/state.h"

namespace warminit::warm {

/// What a status tells besides the state of the devices.
struct HolderFacts {
  HoldLevel level = HoldLevel::off;  ///< The one asked for.
  std::optional<pid_t> pid;
  std::uint64_t starts = 0;
};

/// The part of a status that is about the GPUs, as docs/PROTOCOL.md describes it: a pure function
/// of what is known. `state` is nothing where there is no holder.
nlohmann::json status_of(const State* state, const HolderFacts& facts);

}  // namespace warminit::warm
