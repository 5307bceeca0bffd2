#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "warminit/cli/client.h"
#include "warminit/cli/devices.h"
#include "warminit/cli/doctor.h"
#include "warminit/cli/entrypoint.h"
#include "warminit/cli/log.h"
#include "warminit/cli/options.h"
#include "warminit/doctor/driver_child.h"
#include "warminit/exporter/exporter.h"
#include "warminit/init/exec_error.h"
#include "warminit/os/signals.h"
#include "warminit/os/stderr_writer.h"
#include "warminit/warm/holder.h"

namespace {

/// A closed standard descriptor would be taken by the first file that we open. /dev/null takes it
/// instead, and leaves it as it was for the command.
void fill_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR | O_CLOEXEC);
}

int refuse(const std::string& why) {
  (void)warminit::os::StderrWriter().write("warminit: cannot go on: " + why + "\n");
  return warminit::cli::StartCodes().cannot_start;
}

bool is_client(warminit::cli::Verb verb) {
  using warminit::cli::Verb;
  return verb == Verb::status || verb == Verb::wait || verb == Verb::release ||
         verb == Verb::acquire;
}

int run(const warminit::cli::Options& options, const warminit::os::SignalState& inherited) {
  using warminit::cli::Verb;
  if (options.verb == Verb::holder) return warminit::warm::run_holder(options.holder);
  if (options.verb == Verb::exporter) return warminit::exporter::run_exporter(*options.metrics);
  if (options.verb == Verb::devices) {
    warminit::os::restore_signals(inherited);
    return warminit::cli::run_devices(options);
  }
  if (is_client(options.verb)) {
    warminit::os::restore_signals(inherited);
    return warminit::cli::run_client(options);
  }
  if (options.verb == Verb::doctor) {
    warminit::os::restore_signals(inherited);
    return warminit::cli::run_doctor(options, inherited);
  }
  if (options.verb == Verb::ask_driver)
    return warminit::doctor::run_ask_driver(options.holder.driver_library, options.question);
  warminit::cli::configure_log(options.log_level, options.log_format);
  return warminit::cli::run_entrypoint(options, inherited);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // Before anything else: a signal that arrives from now on is kept for the command.
    const auto inherited = warminit::os::block_all_signals();
    fill_standard_descriptors();
    const auto parsed = warminit::cli::parse(std::vector<std::string>(argv, argv + argc));
    if (const auto* answer = std::get_if<warminit::cli::Answer>(&parsed)) {
      if (answer->code == 0)
        std::fputs(answer->text.c_str(), stdout);
      else
        (void)warminit::os::StderrWriter().write(answer->text);
      return answer->code;
    }
    return run(std::get<warminit::cli::Options>(parsed), inherited);
  } catch (const std::system_error& e) {
    return refuse(warminit::init::explain(e));
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}
