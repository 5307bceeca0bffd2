#pragma once

#include <string>
#include <utility>
#include <variant>

#include "warminit/cuda/abi.h"

namespace warminit::cuda {

/// A driver call that failed.
struct Error {
  abi::CUresult code = abi::CUDA_ERROR_UNKNOWN;
  std::string what;  ///< `where: why`, e.g. "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable …)".
};

/// A value or the Error that stands in its place; a small std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// The value of a call that has nothing to return.
struct Done {};

}  // namespace warminit::cuda
