#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warminit/os/fd.h"

namespace warminit::test {

/// A program under test, started with its output on pipes.
///
/// Everything here waits on descriptors, up to a time that only a failure needs. What still runs
/// when the object goes is killed.
class Process {
 public:
  enum class Place {
    here,           ///< A child of the test: warminit becomes a subreaper.
    pid_namespace,  ///< PID 1 of a PID namespace with its own /proc; needs root.
  };
  struct Options {
    std::vector<std::string> argv = {};
    std::map<std::string, std::string> environment = {};
    Place place = Place::here;
    std::optional<int> stdin_fd = {};   ///< Else /dev/null.
    std::optional<int> stderr_fd = {};  ///< Else captured.
    bool close_stderr = false;
    bool own_session = false;       ///< setsid, and stdin becomes the controlling terminal.
    std::vector<int> ignored = {};  ///< Signals that are SIG_IGN in it.
    std::vector<int> blocked = {};  ///< Signals that are blocked in it.
  };

  explicit Process(Options options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;

  /// Reads until `text` has appeared on stdout or stderr; false if both end or the time is over.
  bool wait_for(const std::string& text, std::chrono::milliseconds timeout = kPatience);

  /// The exit code, or 128 + n if signal n ended it; nothing if it still runs after `timeout`.
  /// Reads what it writes meanwhile.
  std::optional<int> wait(std::chrono::milliseconds timeout = kPatience);

  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }

  /// The only child of it whose command name is `comm`, in this namespace's numbers.
  [[nodiscard]] std::optional<pid_t> child_named(const std::string& comm) const;

  static constexpr std::chrono::milliseconds kPatience{10000};

 private:
  [[noreturn]] void become(const Options& options, int out, int err) const;
  /// Waits for output or for the end; false once the time is over.
  bool pump(std::chrono::steady_clock::time_point deadline);
  bool drain(os::Fd& fd, std::string& text);

  pid_t pid_ = -1;
  os::Fd pidfd_;
  os::Fd out_fd_;
  os::Fd err_fd_;
  std::string out_;
  std::string err_;
  std::optional<int> code_;
};

/// Whether this machine lets us make PID namespaces; tests that need one skip without.
bool can_make_namespaces();

/// Whether warminit runs under qemu-user, which keeps some things from a program that the kernel
/// would give it: subreapers, the numbers of real-time signals, faults' signals on a signalfd.
bool is_emulated();

/// How often `part` occurs in `text`.
int count(const std::string& text, const std::string& part);

/// The binary under test with `options` and, after `--`, `command`.
std::vector<std::string> warminit(std::vector<std::string> options,
                                  const std::vector<std::string>& command);

/// One of tests/programs.
std::string program(const std::string& name);

/// The environment that makes warminit open the simulated driver, with switches on top.
std::map<std::string, std::string> simulated(std::map<std::string, std::string> switches = {});

}  // namespace warminit::test
