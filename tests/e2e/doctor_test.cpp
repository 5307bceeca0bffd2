#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/process.h"

namespace warminit::test {
namespace {

struct Report {
  int code = -1;
  nlohmann::json json;

  [[nodiscard]] nlohmann::json found(const std::string& code_of) const {
    for (const auto& finding : json.at("findings"))
      if (finding.at("code") == code_of) return finding;
    ADD_FAILURE() << "no " << code_of << " in " << json.dump(2);
    return {{"what", ""}, {"severity", ""}};
  }
  [[nodiscard]] std::set<std::string> errors() const {
    std::set<std::string> codes;
    for (const auto& finding : json.at("findings"))
      if (finding.at("severity") == "error") codes.insert(finding.at("code").get<std::string>());
    return codes;
  }
};

Report doctor(const std::map<std::string, std::string>& environment,
              const std::vector<std::string>& options = {}) {
  std::vector<std::string> argv{"doctor", "--json"};
  argv.insert(argv.end(), options.begin(), options.end());
  Process process({.argv = warminit(argv, {}), .environment = environment});
  Report report;
  report.code = process.wait().value_or(-1);
  report.json = nlohmann::json::parse(process.out(), nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(report.json.is_object()) << process.out() << process.err();
  return report;
}

/// Some parts of the machine that the tests run on may be rightly complained of.
TEST(Doctor, OfAHealthySimulationFindsNoError) {
  const Report report = doctor(simulated({{"SIMCUDA_DEVICES", "2"}}));
  EXPECT_EQ(report.json.at("version"), 1);
  EXPECT_EQ(report.errors(), std::set<std::string>());
  EXPECT_EQ(report.code, report.json.at("worst") == "warning" ? 1 : 0);
  EXPECT_EQ(report.found("simulated-driver").at("what"), SIMCUDA_LIBRARY);
  for (const auto& finding : report.json.at("findings"))
    for (const char* field : {"what", "why", "remedy"}) {
      EXPECT_FALSE(finding.at(field).get<std::string>().empty()) << finding;
      EXPECT_EQ(count(finding.at(field).get<std::string>(), "\n"), 0) << finding;
    }
}

TEST(Doctor, DoesNotWaitForADriverThatHangs) {
  const Report report = doctor(simulated({{"SIMCUDA_HANG", "cuInit"}}), {"--init-timeout=300ms"});
  EXPECT_EQ(report.code, 2);
  EXPECT_EQ(report.errors(), std::set<std::string>({"driver-hangs"}));
  EXPECT_EQ(report.found("driver-hangs").at("what"),
            "a process that asked the driver gave no answer in 0.3 s");
}

TEST(Doctor, SurvivesADriverThatCrashes) {
  const Report report = doctor(simulated({{"SIMCUDA_CRASH", "cuInit"}}));
  EXPECT_EQ(report.errors(), std::set<std::string>({"driver-crashes"}));
}

TEST(Doctor, ExplainsWhatTheDriverAnswers) {
  const std::map<std::string, std::string> cases{{"cuInit:802", "fabric-manager"},
                                                 {"cuInit:803", "version-mismatch"},
                                                 {"cuInit:804", "compat-not-supported"},
                                                 {"cuInit:805", "mps-unreachable"},
                                                 {"cuInit:999", "driver-error"}};
  for (const auto& [fail, code] : cases) {
    const Report report = doctor(simulated({{"SIMCUDA_FAIL", fail}}));
    EXPECT_EQ(report.code, 2) << fail;
    EXPECT_EQ(report.errors(), std::set<std::string>({code})) << fail;
    EXPECT_EQ(report.json.at("worst"), "error");
  }
}

TEST(Doctor, SeesWhatTheVariableHides) {
  const auto with = [](const char* value) {
    return doctor(simulated({{"SIMCUDA_DEVICES", "2"}, {"CUDA_VISIBLE_DEVICES", value}}));
  };
  EXPECT_EQ(with("-1").errors(), std::set<std::string>({"all-gpus-hidden"}));
  EXPECT_EQ(with("7").errors(), std::set<std::string>({"unknown-visible-device"}));
  EXPECT_EQ(with("0,0").errors(), std::set<std::string>({"duplicate-visible-device"}));
  EXPECT_EQ(with("0,7").found("visible-devices-cut-short").at("severity"), "warning");
  EXPECT_EQ(with("1").found("some-gpus-hidden").at("severity"), "note");
}

TEST(Doctor, TriesEachGpu) {
  const Report report = doctor(simulated(
      {{"SIMCUDA_DEVICES", "2"}, {"SIMCUDA_WRONG_RESULT", "1"}, {"SIMCUDA_MEMORY_MIB", "700"}}));
  EXPECT_NE(report.found("gpu-fails").at("what").get<std::string>().find("GPU 1"),
            std::string::npos);
  EXPECT_NE(report.found("gpu-memory-full").at("what").get<std::string>().find("of 700 MiB"),
            std::string::npos);
}

TEST(Doctor, KeepsOffAGpuThatOneProcessMayUse) {
  const Report report = doctor(simulated(
      {{"SIMCUDA_COMPUTE_MODE", "exclusive"}, {"SIMCUDA_FAIL", "cuDevicePrimaryCtxRetain:2"}}));
  EXPECT_EQ(report.errors(), std::set<std::string>());
  EXPECT_EQ(report.found("compute-exclusive").at("severity"), "warning");
}

TEST(Doctor, WithoutADriverSaysWhy) {
  const Report report = doctor({}, {"--driver-library=/no/such/libcuda.so.1"});
  EXPECT_EQ(report.code, 2);
  EXPECT_EQ(report.errors().size(), 1U) << report.json.dump(2);
}

TEST(Doctor, AsTextEndsWithASummary) {
  Process process({.argv = warminit({"doctor"}, {}),
                   .environment = simulated({{"SIMCUDA_FAIL", "cuInit:803"}})});
  EXPECT_EQ(process.wait(), 2);
  EXPECT_EQ(process.out().rfind("error version-mismatch: ", 0), 0U) << process.out();
  EXPECT_EQ(count(process.out(), "\n  remedy: "), count(process.out(), "\n  cause:  "));
  const std::string last = process.out().substr(process.out().rfind("\ndoctor: ") + 1);
  EXPECT_EQ(last.rfind("doctor: 1 error, ", 0), 0U) << last;
  EXPECT_EQ(count(last, "\n"), 1);
}

}  // namespace
}  // namespace warminit::test
