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

bool is_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/// More real-time signals than this cannot be pending for a process of ours anyway
/// (RLIMIT_SIGPENDING); the bound keeps a flood from filling our memory.
constexpr std::size_t kMostWaiting = 65536;

}  // namespace

Command::Command(Options options) : options_(std::move(options)) {
  if (!options_.own_session) return;
  // Nobody stands above a session of its own, and the kernel ignores these in such a group.
  for (const int stop : {SIGTSTP, SIGTTIN, SIGTTOU}) options_.rewrites.try_emplace(stop, SIGSTOP);
}

os::Place Command::choose_place() const {
  if (options_.own_session) return os::Place::own_session;
  // Our group's leader is outside our PID namespace: the terminal's foreground could not be put
  // back.
  const bool leave =
      ::getpgrp() == 0 && options_.target == SignalTarget::command && ::isatty(STDIN_FILENO) != 0;
  return leave ? os::Place::our_group : os::Place::own_group;
}

void Command::start(Reaper& reaper, std::function<void(int code)> ended) {
  os::SpawnOptions spawn;
  spawn.argv = options_.argv;
  spawn.signals = options_.signals;
  spawn.environment = options_.environment;
  spawn.place = choose_place();
  if (spawn.place == os::Place::own_session) os::detach_terminal();
  spawn.foreground = spawn.place == os::Place::own_group && ::getpgrp() != 0 && os::owns_terminal();
  has_terminal_ = spawn.foreground;
  pid_ = os::spawn(spawn);
  group_ = spawn.place == os::Place::our_group ? 0 : *pid_;
  reaper.expect(
      *pid_,
      [this, ended = std::move(ended)](int status) {
        log_event(spdlog::level::info, "ended", "'{}' ended with {}", options_.argv.front(),
                  describe_status(status));
        pid_.reset();
        ended(exit_code(status));
      },
      [this](int signal) { on_stopped(signal); });
  for (const os::Signal& signal : std::exchange(waiting_, {})) send(signal);
}

void Command::forward(os::Signal signal) {
  // In our own group it has had the terminal's signals already.
  if (pid_ && group_ == 0 && signal.from_kernel) return;
  const int received = signal.number;
  if (const auto rewrite = options_.rewrites.find(signal.number);
      rewrite != options_.rewrites.end()) {
    if (rewrite->second == 0) return;
    signal.number = rewrite->second;
  }
  const bool stops_us = options_.own_session && signal.number == SIGSTOP && is_stop(received);
  if (pid_) {
    send(signal);
    if (stops_us) (void)os::stop_ourselves(received);
    return;
  }
  // Nobody has started it yet, so it cannot be stopped; we can, where there is a shell above us.
  if (is_stop(signal.number) && signal.number != SIGSTOP)
    return (void)os::stop_ourselves(signal.number);
  const bool known =
      coalesces(signal) && std::ranges::any_of(waiting_, [&](const os::Signal& other) {
        return other.number == signal.number;
      });
  if (!known && waiting_.size() < kMostWaiting) waiting_.push_back(signal);
}

int Command::deliver(const os::Signal& signal) {
  // The terminal has stopped its whole group, so the whole group goes on.
  const bool resumes = signal.number == SIGCONT && std::exchange(group_stopped_, false);
  if ((resumes || options_.target == SignalTarget::group) && group_ != 0) {
    // A command that made a session or group of its own has left ours empty: then itself.
    const int result = ::kill(-group_, signal.number);
    if (result == 0 || errno != ESRCH) return result;
  } else if (signal.queued) {
    return ::sigqueue(*pid_, signal.number, signal.value);
  }
  return ::kill(*pid_, signal.number);
}

void Command::send(const os::Signal& signal) {
  if (is_stop(signal.number)) asked_to_stop_ = true;
  if (signal.number == SIGCONT) {
    asked_to_stop_ = false;
    if (os::owns_terminal()) take_to_foreground();  // A shell has brought us to the front (fg).
  }
  const std::string name = os::signal_name(signal.number);
  if (deliver(signal) == 0) {
    ++signals_forwarded_;
    log_event(spdlog::level::debug, "forwarded", "forwarded {}", name);
  } else if (errno != ESRCH) {  // ESRCH: it has just ended, and SIGCHLD will say so.
    log_event(spdlog::level::warn, "error", "forwarding {}, ignoring: {}", name,
              std::strerror(errno));
  }
}

void Command::take_to_foreground() {
  if (group_ == 0 || options_.own_session) return;
  os::give_terminal(group_);
  has_terminal_ = true;
}

void Command::on_stopped(int signal) {
  // Whoever sends SIGSTOP wants it stopped: a debugger, an operator.
  if (signal == SIGSTOP || !is_stop(signal) || group_ == 0) return;
  group_stopped_ = true;
  const bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
  if (wants_terminal && (os::owns_terminal() || os::terminal_is_orphaned())) {
    take_to_foreground();
  } else {
    // A shell has continued us then, and our SIGCONT goes to the command as any signal.
    if (os::stop_ourselves(signal)) return;
    // By whoever asked for the stop, or by whoever has the terminal, it can be continued.
    if (asked_to_stop_ || !has_terminal_ || wants_terminal) return;
  }
  // Stopped at a terminal where nobody is left to continue it: Ctrl-C would no longer end it.
  log_event(spdlog::level::debug, "continued",
            "'{}' was stopped by {}, and nobody could continue it", options_.argv.front(),
            os::signal_name(signal));
  group_stopped_ = false;
  (void)::kill(-group_, SIGCONT);
}

void Command::hand_back_terminal() const {
  if (has_terminal_) os::take_terminal_back(group_);
}

}  // namespace warminit::init
