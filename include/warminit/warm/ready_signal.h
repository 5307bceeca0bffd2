#pragma once

#include <optional>
#include <string>

#include "warminit/os/fd.h"
#include "warminit/warm/state.h"

namespace warminit::warm {

/// How others want to be told of readiness.
struct ReadyOptions {
  std::optional<int> fd;  ///< Gets a newline, once, and is closed (s6's readiness notification).
  std::string file;       ///< There while the GPUs are ready; empty: none.
  bool notify = false;    ///< Tell the service manager behind NOTIFY_SOCKET (sd_notify(3)).
};

/// Tells others, in their own ways, that the GPUs are ready, or no longer. Never waits for them,
/// and what fails is logged and left.
class ReadySignal {
 public:
  /// Before the command is started: it shall get neither the descriptor nor, where it is ours,
  /// NOTIFY_SOCKET.
  explicit ReadySignal(ReadyOptions options);

  /// The state may have changed.
  void on_state(const State& state);

  /// Nothing is held (--hold off), so nobody shall wait for it. The file stays away: that no GPU is
  /// held does not mean that one is ready.
  void on_off();

  /// The end of init has begun. Nothing is told afterwards.
  void close();

 private:
  void tell_fd();
  void tell_file(bool ready) const;
  void notify(const std::string& message) const;

  ReadyOptions options_;
  os::Fd fd_;
  std::string notify_socket_;  ///< Empty: nobody to notify.
  std::optional<Readiness> told_;
  bool was_ready_ = false;
  bool closed_ = false;
};

}  // namespace warminit::warm
