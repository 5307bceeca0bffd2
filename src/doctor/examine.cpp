#include "warminit/doctor/examine.h"

#include <algorithm>
#include <iterator>

#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

constexpr Findings (*kChecks[])(const Seen&) = {
    check_presence,   check_library,   check_nodes, check_driver,
    check_visibility, check_devices,   check_mps,   check_limits,
    check_jit_cache,  check_variables, check_init,
};

Seen look_at(const Machine& machine) {
  Seen seen{machine, machine.ask_driver({}), std::nullopt};
  // A driver that hangs or crashes does so again, and takes its time.
  if (seen.driver.ending == Answer::Ending::answered && machine.variable("CUDA_VISIBLE_DEVICES"))
    seen.unhidden = machine.ask_driver({{"CUDA_VISIBLE_DEVICES"}, /*list_only=*/true});
  return seen;
}

bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

void append(Findings& findings, Findings&& more) {
  std::ranges::move(more, std::back_inserter(findings));
}

}  // namespace

Findings examine(const Machine& machine) {
  const Seen seen = look_at(machine);
  Findings findings;
  for (const auto check : kChecks) append(findings, check(seen));
  if (std::ranges::none_of(findings, is_error)) append(findings, check_unexplained(seen));
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  return findings;
}

int exit_code(const Findings& findings) {
  if (findings.empty()) return 0;
  switch (std::ranges::min(findings, {}, &Finding::severity).severity) {
    case Severity::error:
      return 2;
    case Severity::warning:
      return 1;
    case Severity::note:
      break;
  }
  return 0;
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

}  // namespace warminit::doctor
