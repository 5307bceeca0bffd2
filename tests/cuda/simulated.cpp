#include "cuda/simulated.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "os/child.h"

namespace warminit::test {
namespace {

/// Leaves of the variables that the driver reads only `switches`.
void set_environment(const std::map<std::string, std::string>& switches) {
  std::vector<std::string> theirs{"CUDA_VISIBLE_DEVICES"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with("SIMCUDA_")) theirs.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : theirs) ::unsetenv(name.c_str());
  for (const auto& [name, value] : switches) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace

void in_simulation(const std::map<std::string, std::string>& switches,
                   const std::function<void(const cuda::Driver&)>& body) {
  in_child([&] {
    set_environment(switches);
    auto driver = cuda::Driver::load(SIMCUDA_LIBRARY);
    ASSERT_TRUE(driver) << driver.error().what;
    body(*driver);
  });
}

void in_initialised_simulation(const std::map<std::string, std::string>& switches,
                               const std::function<void(const cuda::Driver&)>& body) {
  in_simulation(switches, [&](const cuda::Driver& driver) {
    ASSERT_EQ(driver.cuInit(0), cuda::abi::CUDA_SUCCESS);
    body(driver);
  });
}

}  // namespace warminit::test
