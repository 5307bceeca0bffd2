#include "warminit/cli/init_options.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "warminit/os/signals.h"

namespace warminit::cli {
namespace {

int signal_or_refuse(const Adder& add, const std::string& option, const std::string& text) {
  const auto signal = os::parse_signal(text);
  if (!signal) add.refuse(option, "'" + text + "' is no signal; write a name or number: TERM, 15");
  return *signal;
}

/// "TERM:QUIT", "15:3", "HUP:0".
void take_rewrite(const Adder& add, const std::string& option, const std::string& text,
                  std::map<int, int>& rewrites) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    add.refuse(option,
               "'" + text + "' is not SIGNAL:SIGNAL; write TERM:QUIT, or TERM:0 to drop it");
  const std::string to = text.substr(colon + 1);
  const int from = signal_or_refuse(add, option, text.substr(0, colon));
  rewrites[from] = to == "0" ? 0 : signal_or_refuse(add, option, to);
}

int code_or_refuse(const Adder& add, const std::string& option, const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 3 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoi(text) > 255)
    add.refuse(option, "'" + text + "' is no exit code; write a number from 0 to 255");
  return std::stoi(text);
}

bool is_set_to(const char* variable, const std::string& value) {
  const char* found = std::getenv(variable);
  return found != nullptr && found == value;
}

}  // namespace

void add_init_options(Adder& add, CLI::App& app, InitOptions& options, ForeignOptions& foreign) {
  add.flag("-g,--signal-group", foreign.signal_group,
           "Forward signals to COMMAND's whole process group");
  add.flag("-c,--single-child", foreign.single_child,
           "Forward signals to COMMAND alone, in no session of its own (the default here)");
  add.flag("--session", options.own_session, "Run COMMAND in a session of its own");
  add.list("-r,--rewrite", "S:R", "Forward signal S as R; R is 0: not at all. Repeatable",
           [&add, &options](const std::string& text) {
             take_rewrite(add, "--rewrite", text, options.rewrites);
           });
  add.list("-e,--success-code", "CODE", "Exit with 0 where COMMAND exits with CODE. Repeatable",
           [&add, &options](const std::string& text) {
             options.success_codes.insert(code_or_refuse(add, "--success-code", text));
           });
  add.text("-p,--parent-death-signal", "SIGNAL", "Get SIGNAL, and forward it, when our parent dies",
           [&add, &options](const std::string& text) {
             options.parent_death_signal = signal_or_refuse(add, "--parent-death-signal", text);
           });
  add.flag("-w,--warn-on-reap", options.warn_on_reap, "Log each orphan that is reaped");
  add.flag("-s,--subreaper", foreign.subreaper,
           "Reap orphans also where not PID 1 (always so here)");
  add.duration("--grace", options.grace,
               "Between SIGTERM and SIGKILL for what is left when COMMAND has ended [5s]");
  add.duration("--stop-timeout", options.stop_timeout,
               "Between a forwarded SIGTERM and SIGKILL for COMMAND and all else [never]");
  app.add_flag("-v,--verbose", foreign.verbose, "Log more; -vv: all");
  app.add_flag("-P,--pause", foreign.pause, "No command, as the verb hold");
  app.add_flag("-l,-L,--license", foreign.license, "Show the license");
}

void settle_init_options(const Personality& personality, const ForeignOptions& foreign,
                         InitOptions& options) {
  options.codes = personality.codes;
  const bool single = foreign.single_child || is_set_to("DUMB_INIT_SETSID", "0");
  options.target = personality.target;
  if (personality.own_session) options.own_session = true;
  if (single) {
    options.target = init::SignalTarget::command;
    options.own_session = false;
  }
  if (foreign.signal_group || std::getenv("TINI_KILL_PROCESS_GROUP") != nullptr)
    options.target = init::SignalTarget::group;
}

std::string settle_log_level(const Personality& personality, const ForeignOptions& foreign) {
  constexpr std::array kLevels{"error", "warn", "info", "debug"};
  int verbosity = personality.verbosity;
  if (const char* tini = std::getenv("TINI_VERBOSITY")) verbosity = std::atoi(tini);
  if (is_set_to("DUMB_INIT_DEBUG", "1")) verbosity = 3;
  verbosity = std::clamp(verbosity + foreign.verbose, 0, 3);
  return kLevels.at(static_cast<std::size_t>(verbosity));
}

}  // namespace warminit::cli
