#include "warminit/cuda/warm_up.h"

#include <array>
#include <chrono>
#include <cstdint>

namespace warminit::cuda {
namespace {

/// out[i] = ((i ^ seed) * 2654435761) + (i >> 3), for i < count; all of it modulo 2^32.
///
/// PTX, because every driver compiles it for the GPU that it finds: sm_50 and later.
constexpr const char* kPtx = R"(.version 6.0
.target sm_50
.address_size 64

.visible .entry warminit_warm_up(.param .u64 out, .param .u32 seed, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %rd<4>;

  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p, %r4, %r5;
  @%p bra done;
  ld.param.u32 %r6, [seed];
  xor.b32 %r7, %r4, %r6;
  shr.u32 %r8, %r4, 3;
  mad.lo.u32 %r9, %r7, 2654435761, %r8;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r9;
done:
  ret;
}
)";

constexpr std::uint32_t kCount = 1024;
constexpr std::uint32_t kThreads = 256;
using Output = std::array<std::uint32_t, kCount>;

std::uint32_t expected(std::uint32_t i, std::uint32_t seed) {
  return (i ^ seed) * 2654435761U + (i >> 3U);
}

Result<Done> compare(const Output& output, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (output[i] == expected(i, seed)) continue;
    return Error{abi::CUDA_SUCCESS, "warm-up kernel: the device computed " +
                                        std::to_string(output[i]) + " for element " +
                                        std::to_string(i) + ", not " +
                                        std::to_string(expected(i, seed))};
  }
  return Done{};
}

/// A loaded module, unloaded when destroyed.
class Module {
 public:
  explicit Module(const Driver& driver) : driver_(driver) {}
  ~Module() {
    if (module_ != nullptr) (void)driver_.cuModuleUnload(module_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Result<Done> load(abi::CUfunction& kernel) {
    auto step = driver_.check("cuModuleLoadData", driver_.cuModuleLoadData(&module_, kPtx));
    if (!step) return step;
    return driver_.check("cuModuleGetFunction",
                         driver_.cuModuleGetFunction(&kernel, module_, "warminit_warm_up"));
  }

 private:
  const Driver& driver_;
  abi::CUmodule module_ = nullptr;
};

/// Device memory for one Output, freed when destroyed.
class Buffer {
 public:
  explicit Buffer(const Driver& driver) : driver_(driver) {}
  ~Buffer() {
    if (pointer_ != 0) (void)driver_.cuMemFree(pointer_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Result<Done> allocate() {
    return driver_.check("cuMemAlloc", driver_.cuMemAlloc(&pointer_, sizeof(Output)));
  }
  Result<Done> copy_to(Output& output) const {
    return driver_.check("cuMemcpyDtoH",
                         driver_.cuMemcpyDtoH(output.data(), pointer_, sizeof(Output)));
  }
  [[nodiscard]] abi::CUdeviceptr pointer() const { return pointer_; }

 private:
  const Driver& driver_;
  abi::CUdeviceptr pointer_ = 0;
};

Result<Done> run(const Driver& driver, abi::CUfunction kernel, abi::CUdeviceptr out,
                 std::uint32_t seed) {
  std::uint32_t count = kCount;
  std::array<void*, 3> parameters{&out, &seed, &count};
  auto step = driver.check("cuLaunchKernel",
                           driver.cuLaunchKernel(kernel, kCount / kThreads, 1, 1, kThreads, 1, 1, 0,
                                                 nullptr, parameters.data(), nullptr));
  if (!step) return step;
  return driver.check("cuCtxSynchronize", driver.cuCtxSynchronize());
}

}  // namespace

Result<std::map<std::string, double>> warm_up(const Driver& driver) {
  using Clock = std::chrono::steady_clock;
  std::map<std::string, double> seconds;
  auto begin = Clock::now();
  const auto lap = [&](const char* name) {
    const auto now = Clock::now();
    seconds[name] = std::chrono::duration<double>(now - begin).count();
    begin = now;
  };
  // Different each time, so that a result left over from an earlier run cannot pass for a new one.
  const auto seed = static_cast<std::uint32_t>(begin.time_since_epoch().count());

  Module module(driver);
  Buffer buffer(driver);
  Output output{};
  abi::CUfunction kernel = nullptr;
  auto step = module.load(kernel);
  if (step) step = buffer.allocate();
  if (step) lap("module");
  if (step) step = run(driver, kernel, buffer.pointer(), seed);
  if (step) lap("launch");
  if (step) step = buffer.copy_to(output);
  if (step) step = compare(output, seed);
  if (!step) return step.error();
  lap("copy");
  return seconds;
}

}  // namespace warminit::cuda
