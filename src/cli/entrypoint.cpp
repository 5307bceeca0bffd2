#include "warminit/cli/entrypoint.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "warminit/init/command.h"
#include "warminit/init/log_event.h"
#include "warminit/init/reaper.h"
#include "warminit/init/shutdown.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/spawn.h"
#include "warminit/os/terminal.h"
#include "warminit/os/timer.h"
#include "warminit/warm/holder_link.h"

namespace warminit::cli {
namespace {

using init::guard;
using init::log_event;
namespace level = spdlog::level;

constexpr int kCannotStart = 125;

/// The signals by which a person or a runtime asks a program to end.
bool asks_to_end(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
}

/// Puts the pieces of init together: signals in, command and holder out, and an end.
class Entrypoint {
 public:
  Entrypoint(const Options& options, const os::SignalState& inherited)
      : options_(options),
        shutdown_(loop_, reaper_, options.grace),
        command_({options.command, inherited, options.signal_group}),
        wait_timer_(loop_, [this] {
          time_over_ = true;
          consider();
        }) {}

  int run() {
    become_init();
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) {
      while (const auto signal = signals_.next()) on_signal(*signal);
    });
    if (options_.verb == Verb::run && !options_.wait_ready) start_command();
    if (!shutdown_.begun()) start_holder();
    if (options_.wait_ready && !shutdown_.begun()) hold_back();
    consider();
    on_children();  // Whoever ended before the signals were watched.
    // Whatever fails in a handler, PID 1 outlives it: only the end of the command is the end.
    while (!loop_.stopped()) {
      guard("a step of init", [this] { loop_.run(); });
      guard("reaping", [this] { on_children(); });  // A handler that threw may have left some.
    }
    if (command_.has_terminal()) os::take_terminal();
    log_event(level::info, "exit", "exit code {}; reaped {} orphans, forwarded {} signals",
              shutdown_.code(), reaper_.orphans_reaped(), command_.signals_forwarded());
    return shutdown_.code();
  }

 private:
  static void become_init() {
    if (::getpid() == 1) return;
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
      log_event(level::debug, "subreaper", "not PID 1, reaping orphans as a subreaper");
    else
      log_event(level::warn, "error", "orphans cannot be reaped, ignoring: {}",
                std::strerror(errno));
  }

  void on_signal(const os::Signal& signal) {
    if (signal.number == SIGCHLD) return on_children();
    // Ours alone: what the kernel sends for writing to a log whose reader has gone.
    if (signal.number == SIGPIPE && signal.sender == ::getpid()) return;
    if (shutdown_.begun()) return;
    if (options_.verb == Verb::hold) {
      if (signal.number == SIGTERM || signal.number == SIGINT) end(0);
    } else if (!command_.pid() && asks_to_end(signal.number)) {
      log_event(level::info, "ended", "{} before '{}' was started, ending without it",
                os::signal_name(signal.number), options_.command.front());
      end(128 + signal.number);
    } else {
      command_.forward(signal);
    }
  }

  void on_children() {
    reaper_.reap();
    shutdown_.on_reaped();
  }

  void start_command() {
    try {
      command_.start(reaper_, [this](int code) { end(code); });
    } catch (const os::ExecError& e) {
      const int error = e.code().value();
      log_event(level::err, "error", "{}",
                init::explain_exec_error(options_.command.front(), e.file, error));
      end(init::exec_error_code(error));
    } catch (const std::system_error& e) {
      log_event(level::err, "error", "cannot start '{}': {}", options_.command.front(), e.what());
      end(kCannotStart);
    }
  }

  void start_holder() {
    if (options_.holder.level == warm::HoldLevel::off) return;
    guard("the holder", [this] {
      holder_.emplace(loop_, reaper_, options_.holder, options_.restart, [this] { consider(); });
      holder_->start();
    });
  }

  void hold_back() {
    wait_timer_.set(*options_.wait_ready);
    if (options_.verb == Verb::run)
      log_event(level::info, "waiting", "holding '{}' back until the GPUs are ready, {} ms at most",
                options_.command.front(), options_.wait_ready->count());
  }

  /// Starts or refuses a command that is held back, as soon as that can be said.
  void consider() {
    if (decided_ || shutdown_.begun() || !options_.wait_ready) return;
    const warm::State unknown;
    // Without a holder nothing will ever become ready.
    const auto verdict = holder_ ? warm::judge(holder_->state(), options_.requirement, time_over_)
                                 : warm::judge(unknown, options_.requirement, true);
    if (verdict == warm::Verdict::wait) return;
    decided_ = true;
    wait_timer_.cancel();
    if (verdict == warm::Verdict::refuse) {
      log_event(level::err, "refused", "the GPUs that --require asks for are not ready{}",
                time_over_ ? " in time" : "");
      return end(kCannotStart);
    }
    if (time_over_ && options_.requirement == warm::Requirement::none)
      log_event(level::warn, "late", "the GPUs are not ready after {} ms, ignoring: not waiting",
                options_.wait_ready->count());
    if (options_.verb == Verb::run) start_command();
  }

  void end(int code) {
    if (holder_) holder_->close();
    shutdown_.begin(code);
    on_children();
  }

  const Options& options_;
  os::EventLoop loop_;
  os::SignalFd signals_;
  init::Reaper reaper_;
  init::Shutdown shutdown_;
  init::Command command_;
  os::Timer wait_timer_;
  std::optional<warm::HolderLink> holder_;
  bool time_over_ = false;
  bool decided_ = false;
};

}  // namespace

int run_entrypoint(const Options& options, const os::SignalState& inherited) {
  return Entrypoint(options, inherited).run();
}

}  // namespace warminit::cli
