#include "warminit/cli/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warminit/doctor/driver_client.h"
#include "warminit/doctor/examine.h"

namespace warminit::cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

void print_json(const Findings& findings) {
  nlohmann::ordered_json json{{"version", 1}, {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings)
    json["findings"].push_back({{"code", finding.code},
                                {"severity", doctor::to_string(finding.severity)},
                                {"what", finding.what},
                                {"why", finding.why},
                                {"remedy", finding.remedy}});
  // Sorted by it; null where there is nothing to say.
  json["worst"] = findings.empty()
                      ? nlohmann::ordered_json()
                      : nlohmann::ordered_json(doctor::to_string(findings.front().severity));
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string counted(const Findings& findings, Severity severity) {
  const auto count = std::ranges::count(findings, severity, &Finding::severity);
  return fmt::format("{} {}{}", count, doctor::to_string(severity), count == 1 ? "" : "s");
}

void print_text(const Findings& findings) {
  for (const Finding& finding : findings)
    fmt::print("{} {}: {}\n  cause:  {}\n  remedy: {}\n\n", doctor::to_string(finding.severity),
               finding.code, finding.what, finding.why, finding.remedy);
  fmt::print("doctor: {}, {}, {}\n", counted(findings, Severity::error),
             counted(findings, Severity::warning), counted(findings, Severity::note));
}

}  // namespace

int run_doctor(const Options& options, const os::SignalState& inherited) {
  doctor::Machine machine = doctor::this_machine();
  machine.driver_library = options.holder.driver_library;
  machine.socket = options.operate.socket;
  const doctor::DriverClient client{options.holder.driver_library, options.holder.init_timeout,
                                    inherited};
  machine.ask_driver = [&client](const doctor::Question& question) {
    return doctor::ask_in_child(client, question);
  };
  const Findings findings = doctor::examine(machine);
  if (options.json)
    print_json(findings);
  else
    print_text(findings);
  return doctor::exit_code(findings);
}

}  // namespace warminit::cli
