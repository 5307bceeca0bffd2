#include "warminit/cli/exporter_link.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <utility>

#include "warminit/exporter/exporter.h"
#include "warminit/init/log_event.h"
#include "warminit/init/reaper.h"

namespace warminit::cli {
namespace {

using init::log_event;
namespace level = spdlog::level;

std::array<os::Fd, 2> make_link() {
  std::array<int, 2> ends{};
  os::check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()),
            "socketpair");
  return {os::Fd(ends[0]), os::Fd(ends[1])};
}

}  // namespace

ExporterLink::ExporterLink(os::EventLoop& loop, init::Reaper& reaper, Options options,
                           Connected connected)
    : options_(std::move(options)),
      connected_(std::move(connected)),
      supervisor_(loop, reaper, options_.restart,
                  {[this] { return start_process(); }, [](int) { return true; },
                   [this](const init::Supervisor::Ending& ending) { on_end(ending); }}) {}

void ExporterLink::start() { supervisor_.start(); }

void ExporterLink::close() {
  closing_ = true;
  supervisor_.retire();
  supervisor_.kill(SIGKILL);
}

pid_t ExporterLink::start_process() {
  auto [ours, theirs] = make_link();
  os::SpawnOptions spawn;
  spawn.argv = exporter::exporter_arguments(options_.address);
  spawn.file = options_.executable;
  spawn.only_descriptors = true;
  sigfillset(&spawn.signals.mask);  // It ends by its link; the signals of the end are not for it.
  spawn.descriptors = {{exporter::kExporterLink, theirs.get()}};
  const os::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) spawn.descriptors[STDIN_FILENO] = null.get();
  spawn.descriptors[STDOUT_FILENO] = STDERR_FILENO;
  spawn.descriptors[STDERR_FILENO] = STDERR_FILENO;
  const pid_t pid = os::spawn(spawn);

  log_event(std::exchange(announced_, true) ? level::debug : level::info, "metrics",
            "started the exporter as pid {}: http://{}/metrics", pid, to_string(options_.address));
  // What goes wrong with it goes wrong at once; who has run for long has done its work.
  supervisor_.succeeded();
  connected_(std::move(ours));
  return pid;
}

void ExporterLink::on_end(const init::Supervisor::Ending& ending) const {
  const std::string how = init::describe_status(ending.status);
  if (closing_)
    log_event(level::debug, "metrics", "the exporter ended with {}", how);
  else if (ending.restart_in)
    log_event(level::warn, "metrics",
              "the exporter ended with {}, ignoring: starting it again in {} ms", how,
              ending.restart_in->count());
  else
    log_event(level::err, "metrics", "the exporter ended with {}, not starting it again", how);
}

}  // namespace warminit::cli
