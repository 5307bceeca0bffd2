#include "warminit/warm/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "os/child.h"

namespace warminit::warm {
namespace {

using namespace cuda::abi;
using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Diagnosis diagnosis_of(CUresult code, const std::string& library = "libcuda.so.1") {
  return diagnose({code, "cuInit: CUDA_ERROR_X (why)"}, library);
}

struct Case {
  CUresult code;
  Response response;
  const char* remedy;  ///< A regular expression of what must be said.
};

/// The codes of DESIGN's table whose answer does not depend on this machine or its environment.
constexpr Case kCases[] = {
    {CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, Response::give_up, "--gpus all"},
    {CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, Response::give_up, "NVIDIA_DRIVER_CAPABILITIES"},
    {CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, Response::give_up, "CUDA 11"},
    {CUDA_ERROR_STUB_LIBRARY, Response::give_up, "LD_LIBRARY_PATH"},
    {CUDA_ERROR_NO_DEVICE, Response::give_up, "--gpus all"},
    {CUDA_ERROR_INVALID_DEVICE, Response::give_up, "warminit doctor|each once"},
    {CUDA_ERROR_OUT_OF_MEMORY, Response::skip_device, "nvidia-smi"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, Response::skip_device, "COMPUTE"},
    {CUDA_ERROR_SYSTEM_NOT_READY, Response::wait, "nvidia-fabricmanager"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, Response::give_up, "libcuda.so.1 is version .* module"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, Response::give_up, "cuda-compat"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, Response::restart, "Xid"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, Response::restart, "Xid"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, Response::restart, "Xid"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, Response::restart, "Xid"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, Response::restart, "Xid"},
    {CUDA_ERROR_ASSERT, Response::restart, "Xid"},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, Response::restart, "Xid"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, Response::restart, "Xid"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, Response::restart, "Xid"},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, Response::restart, "Xid"},
    {CUDA_ERROR_INVALID_PC, Response::restart, "Xid"},
    {CUDA_ERROR_LAUNCH_FAILED, Response::restart, "Xid"},
};

TEST(Diagnose, AnswersEachCodeWithWhatToDo) {
  for (const auto& [code, response, remedy] : kCases) {
    const Diagnosis diagnosis = diagnosis_of(code);
    EXPECT_EQ(diagnosis.response, response) << code;
    EXPECT_THAT(diagnosis.problem.remedy, ContainsRegex(remedy)) << code;
    EXPECT_THAT(diagnosis.problem.remedy, Not(HasSubstr("\n"))) << code;
  }
}

TEST(Diagnose, KeepsCodeAndReasonOfTheDriver) {
  for (const Case& known : kCases) {
    const Problem problem = diagnosis_of(known.code).problem;
    EXPECT_EQ(problem.code, known.code);
    EXPECT_EQ(problem.reason, "cuInit: CUDA_ERROR_X (why)");
  }
}

TEST(Diagnose, FailsTheDeviceForACodeThatItDoesNotKnow) {
  for (const CUresult code : {1, 3, 101010}) {
    EXPECT_EQ(diagnosis_of(code).response, Response::fail_device) << code;
    EXPECT_THAT(diagnosis_of(code).problem.remedy, HasSubstr("kernel log")) << code;
  }
}

TEST(Diagnose, NamesTheVariablesThatHideTheDevices) {
  for (const CUresult code : {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_INVALID_DEVICE}) {
    const ScopedVariable cuda("CUDA_VISIBLE_DEVICES", "-1");
    const ScopedVariable nvidia("NVIDIA_VISIBLE_DEVICES", "void");
    EXPECT_THAT(diagnosis_of(code).problem.remedy,
                AllOf(HasSubstr("CUDA_VISIBLE_DEVICES='-1'"),
                      HasSubstr("NVIDIA_VISIBLE_DEVICES='void'"), HasSubstr("each once")));
  }
}

TEST(Diagnose, DoesNotSayThatGpusAreMissingWhereTheDriverCallsOneInvalid) {
  const ScopedVariable cuda("CUDA_VISIBLE_DEVICES", nullptr);
  const ScopedVariable nvidia("NVIDIA_VISIBLE_DEVICES", nullptr);
  EXPECT_THAT(diagnosis_of(CUDA_ERROR_INVALID_DEVICE).problem.remedy,
              AllOf(HasSubstr("no variable chooses devices"), HasSubstr("warminit doctor")));
}

TEST(Diagnose, DoubtsTheLibraryThatWasNamed) {
  EXPECT_THAT(diagnosis_of(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "/no/such").problem.remedy,
              AllOf(HasSubstr("--driver-library"), Not(HasSubstr("--gpus"))));
}

TEST(Diagnose, SaysThatThereIsNoGpuWhereNoVariableHidesOne) {
  const ScopedVariable cuda("CUDA_VISIBLE_DEVICES", nullptr);
  const ScopedVariable nvidia("NVIDIA_VISIBLE_DEVICES", nullptr);
  EXPECT_THAT(diagnosis_of(CUDA_ERROR_NO_DEVICE).problem.remedy,
              HasSubstr("the container was given no GPU"));
}

TEST(Diagnose, NamesBothVersionsOfAMismatch) {
  const test::TemporaryFolder folder;
  const std::string library = folder.add("libcuda.so.580.65.06", "");
  for (const CUresult code :
       {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE})
    EXPECT_THAT(diagnosis_of(code, library).problem.remedy,
                AllOf(HasSubstr(library + " is version 580.65.06"), HasSubstr("kernel module")));
}

TEST(Diagnose, TriesOnceMoreWithoutMpsWhereAVariableLeadsThere) {
  for (CUresult code = CUDA_ERROR_MPS_CONNECTION_FAILED; code <= CUDA_ERROR_MPS_CLIENT_TERMINATED;
       ++code) {
    {
      const ScopedVariable variable("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps");
      EXPECT_EQ(diagnosis_of(code).response, Response::retry_without_mps) << code;
    }
    const ScopedVariable variable("CUDA_MPS_PIPE_DIRECTORY", nullptr);
    EXPECT_EQ(diagnosis_of(code).response, Response::restart) << code;
    EXPECT_THAT(diagnosis_of(code).problem.remedy, HasSubstr("the MPS server"));
  }
}

TEST(Diagnose, LooksAtTheDeviceNodes) {
  // On a machine without GPUs the nodes are missing; with GPUs and rights they are all right.
  const Diagnosis system = diagnosis_of(CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(system.response, Response::restart);
  EXPECT_THAT(system.problem.remedy,
              AnyOf(AllOf(HasSubstr("/dev/nvidia"), HasSubstr("cgroup")), HasSubstr("kernel log")));
  const Diagnosis unknown = diagnosis_of(CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(unknown.response, Response::fail_device);
  EXPECT_THAT(unknown.problem.remedy,
              AnyOf(HasSubstr("/dev/nvidia"),
                    AllOf(HasSubstr("Prohibited"), HasSubstr("suspend"), HasSubstr("nvidia_uvm"))));
}

}  // namespace
}  // namespace warminit::warm
