#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "warminit/doctor/checks.h"

namespace warminit::doctor {
namespace {

/// Programs that reap orphans and pass signals on, as /proc/1/comm has them (15 characters at
/// most).
constexpr std::string_view kInits[] = {"warminit",  "tini",          "docker-init", "dumb-init",
                                       "catatonit", "podman-init",   "systemd",     "init",
                                       "s6-svscan", "s6-linux-init", "runit",       "runsvdir",
                                       "pause",     "openrc-init",   "my_init",     "tini-static"};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding explain_socket(const std::string& path, int error, bool ours) {
  const std::string what = fmt::format("{}: {}", path, std::strerror(error));
  if (ours)
    return finding("socket-unreachable", what, "PID 1 is warminit, but nothing here can ask it",
                   "run as the same user; let WARMINIT_SOCKET name the same path here as for the "
                   "entrypoint; a folder that can be written must exist when the container starts");
  return finding("no-warminit", what,
                 "no warminit serves here, so nobody keeps the GPUs warm for this container",
                 R"(make it the entrypoint: ENTRYPOINT ["warminit", "--"])");
}

}  // namespace

Findings check_init(const Seen& seen) {
  const Machine& machine = seen.machine;
  Findings findings;
  const auto comm = machine.read("/proc/1/comm");
  const std::string first = first_line(comm.value_or(""));
  if (comm && std::ranges::find(kInits, first) == std::end(kInits))
    findings.push_back(finding("no-init", fmt::format("PID 1 is '{}'", first),
                               "it is no known init: orphans may stay as zombies, and SIGTERM may "
                               "be ignored, so that every stop takes the whole grace time",
                               "make warminit the entrypoint (or docker run --init)"));

  const std::string& path = machine.socket;
  if (path.empty()) return findings;  // Nobody is to be asked (--socket none).
  const int error = machine.connect(machine.at(path));
  if (error == 0) return findings;
  findings.push_back(explain_socket(path, error, first == "warminit"));
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (!machine.exists(folder)) folder = std::filesystem::path(folder).parent_path().string();
  const int refused = machine.write_into(machine.at(folder));
  if (refused == EROFS || refused == ENOENT)
    findings.push_back(
        finding("no-run-folder", fmt::format("{}: {}", folder, std::strerror(refused)),
                "warminit can make no socket there: status and the other verbs have "
                "nobody to ask",
                "docker run --tmpfs /run, an emptyDir there, or WARMINIT_SOCKET in a "
                "folder that can be written"));
  return findings;
}

}  // namespace warminit::doctor
