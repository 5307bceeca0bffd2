#include "warminit/cli/entrypoint.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <utility>

#include "warminit/cli/control.h"
#include "warminit/cli/cuda_environment.h"
#include "warminit/cli/exporter_link.h"
#include "warminit/init/command.h"
#include "warminit/init/everyone.h"
#include "warminit/init/exec_error.h"
#include "warminit/init/log_event.h"
#include "warminit/init/reaper.h"
#include "warminit/init/shutdown.h"
#include "warminit/os/descriptors.h"
#include "warminit/os/event_loop.h"
#include "warminit/os/spawn.h"
#include "warminit/os/timer.h"
#include "warminit/warm/holder_link.h"

namespace warminit::cli {
namespace {

using init::guard;
using init::log_event;
namespace level = spdlog::level;

/// How long we stand back once the command has been executed: its first instructions are not to
/// compete with ours or with the start of the holder. Ready comes later by as much, of 150 ms.
constexpr std::chrono::milliseconds kHeadStart{3};

/// Whether a person or a runtime asks a program to end by `signal`. Not where we were started to
/// ignore it, as by nohup.
bool asks_to_end(int signal) {
  const bool usual = signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
  return usual && !os::is_ignored(signal);
}

/// Becomes the one that orphans fall to, and tells the kernel what else init is to know.
void become_init(const InitOptions& options) {
  if (options.parent_death_signal)
    (void)::prctl(PR_SET_PDEATHSIG, *options.parent_death_signal);  // Fails for no valid signal.
  if (::getpid() == 1) return;
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
    log_event(level::debug, "subreaper", "not PID 1, reaping orphans as a subreaper");
  else
    log_event(level::warn, "error", "orphans cannot be reaped, ignoring: {}", std::strerror(errno));
}

/// What the command gets on top of our environment: that it runs under us, and what CUDA needs.
std::map<std::string, std::string> command_environment(const Options& options) {
  std::map<std::string, std::string> environment = cuda_environment();
  if (!options.operate.socket.empty()) environment["WARMINIT_SOCKET"] = options.operate.socket;
  return environment;
}

/// Lets go of what only the command needs: nobody shall wait for a file, a pipe or a mount of the
/// command's because init keeps it.
void let_go() {
  os::close_inherited();
  os::release_standard_streams();
  (void)!::chdir("/");
}

/// Puts the pieces of init together: signals in, command and holder out, and an end.
class Entrypoint {
 public:
  Entrypoint(const Options& options, const os::SignalState& inherited)
      : options_(options),
        shutdown_(loop_, reaper_, options.init.grace),
        command_({options.init.command, inherited, options.init.target, options.init.own_session,
                  options.init.rewrites, command_environment(options)}),
        control_(loop_, {options, reaper_, command_, holder_}),
        wait_timer_(loop_,
                    [this] {
                      time_over_ = true;
                      consider();
                    }),
        stop_timer_(loop_, [this] { on_stop_timeout(); }),
        settle_timer_(loop_, [this] { settle(); }) {}

  int run() {
    become_init(options_.init);
    if (options_.init.warn_on_reap)
      reaper_.on_orphan([](pid_t pid, int status) {
        log_event(level::warn, "reaped", "reaped orphan {} ({})", pid,
                  init::describe_status(status));
      });
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) {
      while (const auto signal = signals_.next()) on_signal(*signal);
    });
    on_children();  // Whoever ended before the signals were watched.
    if (options_.verb == Verb::run && !options_.wait_ready) {
      start_command();  // The holder follows it.
    } else {
      if (options_.verb == Verb::hold) let_go();
      start_holder();
      open_to_others();
      if (options_.wait_ready) hold_back();
      consider();
    }
    // Whatever fails in a handler, PID 1 outlives it: only the end of the command is the end.
    while (!loop_.stopped()) {
      guard("a step of init", [this] { loop_.run(); });
      guard("reaping", [this] { on_children(); });  // A handler that threw may have left some.
    }
    control_.close();
    command_.hand_back_terminal();
    log_event(level::info, "exit", "exit code {}; reaped {} orphans, forwarded {} signals",
              shutdown_.code(), reaper_.orphans_reaped(), command_.signals_forwarded());
    return shutdown_.code();
  }

 private:
  void on_signal(const os::Signal& signal) {
    announce();
    if (signal.number == SIGCHLD) return on_children();
    // Ours alone: what the kernel sends for writing a log whose reader has gone (SIGPIPE) or that
    // has reached a limit (SIGXFSZ).
    if (signal.sender == ::getpid()) return;
    if (shutdown_.begun()) {
      log_event(level::debug, "ending", "{} while ending, ignoring",
                os::signal_name(signal.number));
      return;
    }
    const bool to_end = !command_.pid() && asks_to_end(signal.number);
    if (options_.verb == Verb::hold) {
      if (to_end) end(0);
    } else if (to_end) {
      log_event(level::info, "ended", "{} before '{}' was started, ending without it",
                os::signal_name(signal.number), options_.init.command.front());
      end(128 + signal.number);
    } else {
      command_.forward(signal);
      if (signal.number == SIGTERM && options_.init.stop_timeout && !stopping_) {
        stopping_ = true;
        stop_timer_.set(*options_.init.stop_timeout);
      }
    }
  }

  void on_stop_timeout() {
    if (shutdown_.begun()) return;
    log_event(level::warn, "killed", "still running {} ms after SIGTERM, killing {}",
              options_.init.stop_timeout->count(), init::name_everyone());
    init::signal_everyone(SIGKILL, command_.group());
  }

  void on_children() {
    reaper_.reap();
    shutdown_.on_reaped();
  }

  void start_command() {
    const std::string& name = options_.init.command.front();
    const StartCodes& codes = options_.init.codes;
    try {
      command_.start(reaper_, [this](int code) {
        end(options_.init.success_codes.contains(code) ? 0 : code);
      });
    } catch (const os::ExecError& e) {
      const int error = e.code().value();
      log_event(level::err, "error", "{}", init::explain_exec_error(name, e.file, error));
      end(init::means_not_found(error) ? codes.not_found : codes.not_executable);
    } catch (const std::system_error& e) {
      log_event(level::err, "error", "cannot start '{}': {}", name, init::explain(e));
      end(codes.cannot_start);
    }
    if (!command_.pid()) return;
    announced_ = false;
    guard("the head start", [this] { settle_timer_.set(kHeadStart); });
  }

  /// Says that the command was started, ahead of everything else that is said about it.
  void announce() {
    if (std::exchange(announced_, true) || !command_.pid()) return;
    log_event(level::info, "started", "started '{}' as pid {}", options_.init.command.front(),
              *command_.pid());
  }

  /// What could wait until the command runs.
  void settle() {
    let_go();
    announce();
    if (shutdown_.begun()) return;
    if (!holder_) start_holder();
    open_to_others();
  }

  void start_holder() {
    if (options_.holder.level == warm::HoldLevel::off) return control_.on_state();
    guard("the holder", [this] {
      holder_.emplace(loop_, reaper_, options_.holder, options_.restart, [this] {
        control_.on_state();
        consider();
      });
      holder_->start();
    });
  }

  /// What asks about us: at the socket, and over HTTP.
  void open_to_others() {
    control_.open();
    if (!options_.metrics || exporter_) return;
    guard("the exporter", [this] {
      exporter_.emplace(loop_, reaper_, ExporterLink::Options{*options_.metrics, options_.restart},
                        [this](os::Fd connection) { control_.adopt(std::move(connection)); });
      exporter_->start();
    });
  }

  void hold_back() {
    wait_timer_.set(*options_.wait_ready);
    if (options_.verb == Verb::run)
      log_event(level::info, "waiting", "holding '{}' back until the GPUs are ready, {} ms at most",
                options_.init.command.front(), options_.wait_ready->count());
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
      return end(options_.init.codes.cannot_start);
    }
    if (time_over_ && options_.requirement == warm::Requirement::none)
      log_event(level::warn, "late", "the GPUs are not ready after {} ms, ignoring: not waiting",
                options_.wait_ready->count());
    if (options_.verb == Verb::run) start_command();
  }

  void end(int code) {
    if (holder_) holder_->close();
    if (exporter_) exporter_->close();
    control_.on_end();
    shutdown_.begin(code, command_.group());
    on_children();
  }

  const Options& options_;
  os::EventLoop loop_;
  os::SignalFd signals_;
  init::Reaper reaper_;
  init::Shutdown shutdown_;
  init::Command command_;
  Control control_;
  os::Timer wait_timer_;
  os::Timer stop_timer_;
  os::Timer settle_timer_;
  std::optional<warm::HolderLink> holder_;
  std::optional<ExporterLink> exporter_;
  bool time_over_ = false;
  bool decided_ = false;
  bool announced_ = true;
  bool stopping_ = false;  ///< The command has got its first SIGTERM.
};

}  // namespace

int run_entrypoint(const Options& options, const os::SignalState& inherited) {
  if (!options.jit_cache.empty()) share_jit_cache(options.jit_cache);
  return Entrypoint(options, inherited).run();
}

}  // namespace warminit::cli
