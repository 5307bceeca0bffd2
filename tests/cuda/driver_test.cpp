#include "warminit/cuda/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cuda/simulated.h"
#include "os/child.h"

namespace warminit::cuda {
namespace {

using test::in_simulation;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Driver, FindsEveryFunctionOfTheLibrary) {
  auto driver = Driver::load(SIMCUDA_LIBRARY);
  ASSERT_TRUE(driver) << driver.error().what;
#define WARMINIT_EXPECT(function, symbol) EXPECT_NE(driver->function, nullptr) << symbol;
  WARMINIT_CUDA_FUNCTIONS(WARMINIT_EXPECT)
  WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_EXPECT)
#undef WARMINIT_EXPECT
  EXPECT_EQ(driver->path, SIMCUDA_LIBRARY);
}

TEST(Driver, KnowsTheSimulation) {
  auto driver = Driver::load(SIMCUDA_LIBRARY);
  ASSERT_TRUE(driver);
  EXPECT_TRUE(driver->simulated);
}

TEST(Driver, IsLookedForByTheNameThatOnlyADriverHas) {
  EXPECT_STREQ(kDefaultLibrary, "libcuda.so.1");
}

TEST(Driver, ThatIsNotThereIsNamed) {
  const auto driver = Driver::load("libwarminit-no-such-driver.so.1");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, abi::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
  EXPECT_THAT(driver.error().what,
              AllOf(StartsWith("dlopen: "), HasSubstr("libwarminit-no-such-driver.so.1")));
}

TEST(Driver, ThatIsNoLibraryIsRefused) {
  const test::TemporaryFolder folder;
  const std::string path = folder.add("libcuda.so.1", "not a library");
  const auto driver = Driver::load(path);
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, abi::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
  EXPECT_THAT(driver.error().what, HasSubstr(path));
}

TEST(Driver, ThatLacksFunctionsIsToldAllOfThem) {
  const auto driver = Driver::load("libm.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, abi::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
  const std::string what = driver.error().what + " ";
  EXPECT_THAT(what, HasSubstr("libm.so.6 lacks"));
#define WARMINIT_EXPECT(function, symbol) EXPECT_THAT(what, HasSubstr(" " symbol " "));
  WARMINIT_CUDA_FUNCTIONS(WARMINIT_EXPECT)
#undef WARMINIT_EXPECT
#define WARMINIT_EXPECT(function, symbol) EXPECT_THAT(what, Not(HasSubstr(symbol)));
  WARMINIT_CUDA_OPTIONAL_FUNCTIONS(WARMINIT_EXPECT)
#undef WARMINIT_EXPECT
}

TEST(Driver, InTheToolkitsStubFolderCountsAsNone) {
  const test::TemporaryFolder folder;
  const std::string stubs = folder.path() + "/stubs";
  std::filesystem::create_directory(stubs);
  const std::string path = stubs + "/libcuda.so.1";
  std::filesystem::copy_file(SIMCUDA_LIBRARY, path);
  test::in_child([&] {
    const auto driver = Driver::load(path);
    ASSERT_FALSE(driver);
    EXPECT_EQ(driver.error().code, abi::CUDA_ERROR_STUB_LIBRARY);
    EXPECT_THAT(driver.error().what, StartsWith(path + ": "));
  });
}

TEST(DriverError, NamesTheCallTheCodeAndItsMeaning) {
  in_simulation({}, [](const Driver& driver) {
    const Error error = driver.error("cuInit", abi::CUDA_ERROR_NO_DEVICE);
    EXPECT_EQ(error.code, abi::CUDA_ERROR_NO_DEVICE);
    EXPECT_THAT(error.what, AllOf(StartsWith("cuInit: CUDA_ERROR_NO_DEVICE ("), EndsWith(")")));
  });
}

TEST(DriverError, OfACodeThatTheDriverDoesNotKnowIsANumber) {
  in_simulation({}, [](const Driver& driver) {
    EXPECT_EQ(driver.error("cuInit", 12345).what, "cuInit: error 12345");
  });
}

TEST(DriverError, DoesWithoutTheMeaning) {
  in_simulation({{"SIMCUDA_FAIL", "cuGetErrorString:1"}}, [](const Driver& driver) {
    EXPECT_EQ(driver.error("cuInit", abi::CUDA_ERROR_NO_DEVICE).what,
              "cuInit: CUDA_ERROR_NO_DEVICE");
  });
}

TEST(DriverCheck, IsDoneOrTheError) {
  in_simulation({}, [](const Driver& driver) {
    EXPECT_TRUE(driver.check("cuInit", abi::CUDA_SUCCESS));
    const auto failed = driver.check("cuMemAlloc", abi::CUDA_ERROR_OUT_OF_MEMORY);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, abi::CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(failed.error().what, StartsWith("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
  });
}

}  // namespace
}  // namespace warminit::cuda
