#include "warminit/exporter/server.h"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <memory>
#include <utility>

#include "warminit/exporter/session.h"
#include "warminit/exporter/status_link.h"

namespace warminit::exporter {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Before the next try where a connection could not be taken (no memory, say).
constexpr std::chrono::milliseconds kAcceptPause{100};

tcp protocol_of(const os::Fd& socket) {
  int family = AF_INET;
  socklen_t size = sizeof family;
  os::check(::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &size), "getsockopt");
  return family == AF_INET6 ? tcp::v6() : tcp::v4();
}

class Server {
 public:
  Server(asio::io_context& io, os::Fd listening, StatusLink& link, const Limits& limits)
      : acceptor_(io), pause_(io), link_(link), limits_(limits) {
    const tcp protocol = protocol_of(listening);
    acceptor_.assign(protocol, listening.release());
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error) return accept_later();
      make_room();
      const auto session = std::make_shared<Session>(std::move(socket), link_, limits_);
      sessions_.push_back(session);
      session->start();
      accept();
    });
  }

  void accept_later() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const error_code& error) {
      if (!error) accept();
    });
  }

  /// The oldest gives way: a request takes milliseconds, so it is one that idles. Else a few idle
  /// clients could keep the probes of a container out, and end it so.
  void make_room() {
    sessions_.remove_if([](const auto& session) { return session.expired(); });
    if (sessions_.size() < limits_.connections) return;
    if (const auto oldest = sessions_.front().lock()) oldest->close();
    sessions_.pop_front();
  }

  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  StatusLink& link_;
  Limits limits_;
  std::list<std::weak_ptr<Session>> sessions_;  ///< The oldest first.
};

}  // namespace

void serve(os::Fd listening, os::Fd link, const Limits& limits) {
  asio::io_context io(1);
  StatusLink status(io, std::move(link), limits.answer, [&io] { io.stop(); });
  const Server server(io, std::move(listening), status, limits);
  io.run();
}

}  // namespace warminit::exporter
