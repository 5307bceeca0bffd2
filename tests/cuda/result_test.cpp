#include "warminit/cuda/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace warminit::cuda {
namespace {

TEST(Result, HoldsAValue) {
  Result<std::string> result(std::string("value"));
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "value");
  EXPECT_EQ(result->size(), 5U);
}

TEST(Result, HoldsAnError) {
  const Result<int> result(Error{abi::CUDA_ERROR_NO_DEVICE, "cuInit: none"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, abi::CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(result.error().what, "cuInit: none");
}

TEST(Result, HoldsAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
  ASSERT_TRUE(result);
  const std::unique_ptr<int> taken = std::move(*result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, HoldsAnErrorAsItsValueNever) {
  const Result<Done> done(Done{});
  EXPECT_TRUE(done);
  const Result<Done> failed(Error{});
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().code, abi::CUDA_ERROR_UNKNOWN);
}

}  // namespace
}  // namespace warminit::cuda
