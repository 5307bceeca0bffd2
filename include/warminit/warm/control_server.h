#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "warminit/os/event_loop.h"
#include "warminit/os/fd.h"
#include "warminit/os/timer.h"
#include "warminit/warm/control_protocol.h"

namespace warminit::warm {

/// What the control socket bears from its clients.
struct ControlLimits {
  std::size_t connections = 64;              ///< At once; more wait to be accepted.
  std::chrono::milliseconds patience{5000};  ///< For a line to come, or to be taken.
};

/// The control socket of PID 1: takes lines from clients, and answers them, without ever waiting
/// for one.
///
/// All its descriptors together get one turn in the loop of init, so that a crowd of clients costs
/// a signal no more than the handling of one of them.
class ControlServer {
 public:
  /// The answer to a request, to be given once: at once or later. Must not outlive the server.
  class Answer {
   public:
    void operator()(const std::string& line) const { server_->reply(client_, line); }
    /// Whether the client is still there. Who keeps answers for later keeps no others: clients
    /// that ask and go shall not fill our memory.
    [[nodiscard]] bool is_wanted() const { return server_->find(client_) != nullptr; }

   private:
    friend class ControlServer;
    Answer(ControlServer& server, std::uint64_t client) : server_(&server), client_(client) {}
    ControlServer* server_;
    std::uint64_t client_;
  };
  using Handler = std::function<void(ControlVerb verb, Answer answer)>;

  ControlServer(os::EventLoop& loop, ControlLimits limits, Handler handler);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Serves whoever connects to `listener`: root and our own user everything, members of `group`
  /// what only reads, others nothing.
  void serve(os::Fd listener, std::optional<gid_t> group);

  /// Serves a helper process at the other end of `connection` what only reads, for as long as it
  /// likes.
  void adopt(os::Fd connection);

 private:
  struct Client;
  void accept_one();
  void pause_accepting();
  void resume_accepting();
  void admit(os::Fd fd, bool may_act, bool patient);
  void on_event(int fd, std::uint32_t events);
  void read_from(Client& client);
  void take_line(Client& client);
  [[nodiscard]] Client* find(std::uint64_t id) const;
  void reply(std::uint64_t id, const std::string& line);
  void write_to(Client& client);
  void drop(int fd);
  void on_patience();
  void arm();

  os::EventLoop& outer_;
  os::EventLoop inner_;
  ControlLimits limits_;
  Handler handler_;
  os::Timer patience_timer_;
  os::Fd listener_;
  bool accepting_ = false;
  bool armed_ = false;
  std::optional<gid_t> group_;
  std::map<int, std::unique_ptr<Client>> clients_;  ///< By descriptor.
  std::uint64_t next_id_ = 0;  ///< A descriptor's number comes again; these do not.
};

}  // namespace warminit::warm
