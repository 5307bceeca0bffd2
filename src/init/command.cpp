#include "warminit/init/command.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "warminit/init/log_event.h"
#include "warminit/os/spawn.h"
#include "warminit/os/terminal.h"

namespace warminit::init {
namespace {

/// A signal that the kernel keeps at most once per process while it is pending.
bool coalesces(const os::Signal& signal) { return signal.number < SIGRTMIN; }

/// More real-time signals than this cannot be pending for a process of ours anyway
/// (RLIMIT_SIGPENDING); the bound keeps a flood from filling our memory.
constexpr std::size_t kMostWaiting = 65536;

}  // namespace

void Command::start(Reaper& reaper, std::function<void(int code)> ended) {
  os::SpawnOptions spawn;
  spawn.argv = options_.argv;
  spawn.signals = options_.signals;
  spawn.foreground = os::owns_terminal();
  has_terminal_ = spawn.foreground;
  pid_ = os::spawn(spawn);
  reaper.expect(*pid_, [this, ended = std::move(ended)](int status) {
    log_event(spdlog::level::info, "ended", "'{}' ended with {}", options_.argv.front(),
              describe_status(status));
    pid_.reset();
    ended(exit_code(status));
  });
  for (const os::Signal& signal : std::exchange(waiting_, {})) send(signal);
  log_event(spdlog::level::info, "started", "started '{}' as pid {}", options_.argv.front(), *pid_);
}

void Command::forward(const os::Signal& signal) {
  if (pid_) return send(signal);
  const bool known =
      coalesces(signal) && std::ranges::any_of(waiting_, [&](const os::Signal& other) {
        return other.number == signal.number;
      });
  if (!known && waiting_.size() < kMostWaiting) waiting_.push_back(signal);
}

void Command::send(const os::Signal& signal) {
  int result = 0;
  if (options_.signal_group) {
    // A command that made a session or group of its own has left ours empty: then itself.
    result = ::kill(-*pid_, signal.number);
    if (result != 0 && errno == ESRCH) result = ::kill(*pid_, signal.number);
  } else if (signal.queued) {
    result = ::sigqueue(*pid_, signal.number, signal.value);
  } else {
    result = ::kill(*pid_, signal.number);
  }
  const std::string name = os::signal_name(signal.number);
  if (result == 0) {
    ++signals_forwarded_;
    log_event(spdlog::level::debug, "forwarded", "forwarded {}", name);
  } else if (errno != ESRCH) {  // ESRCH: it has just ended, and SIGCHLD will say so.
    log_event(spdlog::level::warn, "error", "forwarding {}, ignoring: {}", name,
              std::strerror(errno));
  }
}

int exec_error_code(int error) { return error == ENOENT || error == ENOTDIR ? 127 : 126; }

std::string explain_exec_error(const std::string& name, const std::string& file, int error) {
  const bool searched = name.find('/') == std::string::npos;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      if (name.empty()) return "the command is an empty string";
      if (searched && ::access(file.c_str(), F_OK) != 0)
        return fmt::format("'{}': not found in PATH", name);
      return fmt::format("'{}': not found, or the interpreter that it names is not in this image",
                         file);
    case EACCES:
      return fmt::format("'{}': not executable; chmod +x it, or start it with its interpreter",
                         file);
    case ENOEXEC:
      return fmt::format("'{}': built for another machine than this one", file);
    default:
      return fmt::format("'{}': {}", file, std::strerror(error));
  }
}

}  // namespace warminit::init
