#pragma once

#include <functional>
#include <map>
#include <string>

#include "warminit/cuda/driver.h"

namespace warminit::test {

/// Runs `body` in a child in which the simulated driver is loaded with these SIMCUDA_* switches,
/// which it reads once per process, and expects that it passes.
void in_simulation(const std::map<std::string, std::string>& switches,
                   const std::function<void(const cuda::Driver&)>& body);

/// The same, with cuInit called.
void in_initialised_simulation(const std::map<std::string, std::string>& switches,
                               const std::function<void(const cuda::Driver&)>& body);

}  // namespace warminit::test
