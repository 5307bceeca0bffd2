#include "warminit/cli/client.h"

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "warminit/cli/ask.h"
#include "warminit/cli/status_table.h"

namespace warminit::cli {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using warm::ControlVerb;

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int complain(const std::string& text) {
  std::fputs(("warminit: " + text + "\n").c_str(), stderr);
  return kCannotTell;
}

/// The status in the answer to `verb`; what refuses it is thrown as its text.
json status_from(const Options& options, ControlVerb verb, milliseconds timeout) {
  json answer = ask(options.operate.socket, verb, timeout);
  if (!answer.at("ok").get<bool>()) throw std::runtime_error(answer.at("error").get<std::string>());
  return answer.at("status");
}

bool is_ready(const json& status) { return status.at("ready").get<bool>(); }

int show(const Options& options, const json& status, bool good) {
  print(options.json ? status.dump(2, ' ', false, json::error_handler_t::replace) + "\n"
                     : status_table(status));
  return good ? kYes : kNo;
}

int run_status(const Options& options) {
  const OperateOptions& operate = options.operate;
  const auto verb = operate.probe ? ControlVerb::probe : ControlVerb::status;
  const json status = status_from(options, verb, operate.timeout);
  if (operate.live_only) return kYes;
  const bool good = is_ready(operate.probe ? status.at("probe") : status);
  return operate.ready_only ? (good ? kYes : kNo) : show(options, status, good);
}

int run_wait(const Options& options, milliseconds timeout) {
  try {
    const json status = status_from(options, ControlVerb::wait, timeout);
    if (is_ready(status)) return kYes;
    print(status_table(status));
    return kNo;
  } catch (const std::system_error& e) {
    if (e.code().value() != ETIMEDOUT) throw;
    complain("the GPUs are not ready after " + std::to_string(timeout.count()) + " ms");
    return kNo;
  }
}

int run(const Options& options) {
  switch (options.verb) {
    case Verb::wait:
      return run_wait(options, options.operate.timeout);
    case Verb::release: {
      const json status = status_from(options, ControlVerb::release, options.operate.timeout);
      return show(options, status, status.at("readiness") == "released");
    }
    case Verb::acquire:
      (void)status_from(options, ControlVerb::acquire, options.operate.timeout);
      return run_wait(options, options.operate.timeout);
    default:
      return run_status(options);
  }
}

}  // namespace

int run_client(const Options& options) {
  const std::string& socket = options.operate.socket;
  if (socket.empty()) return complain("--socket=none leaves nobody to ask; name its path");
  try {
    return run(options);
  } catch (const std::system_error& e) {
    // Somebody was there, and gave no answer or none that makes sense.
    if (e.code().value() == ETIMEDOUT || e.code().value() == EPROTO)
      return complain("'" + socket + "': " + e.what());
    return complain("'" + socket + "': " + e.code().message() +
                    "; is warminit PID 1 here, and is this its --socket?");
  } catch (const json::exception& e) {
    return complain("'" + socket + "': an answer of another version: " + e.what());
  } catch (const std::exception& e) {
    return complain("'" + socket + "': " + e.what());
  }
}

}  // namespace warminit::cli
