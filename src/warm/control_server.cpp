#include "warminit/warm/control_server.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "warminit/init/log_event.h"
#include "warminit/os/unix_socket.h"

namespace warminit::warm {
namespace {

using Clock = std::chrono::steady_clock;

/// Its full end alone, which the kernel always tells. One that has only shut its own direction down
/// still waits for its answer.
constexpr std::uint32_t kOnlyEnd = 0;

}  // namespace

struct ControlServer::Client {
  os::Fd fd;
  std::uint64_t id = 0;
  bool may_act = false;
  bool patient = false;  ///< Has no time limit.
  bool leaving = false;  ///< To be closed once its answer is written.
  std::string in;        ///< Never longer than a request may be.
  std::string out;       ///< What it has not taken yet.
  Clock::time_point until = Clock::time_point::max();
};

ControlServer::ControlServer(os::EventLoop& loop, ControlLimits limits, Handler handler)
    : outer_(loop),
      limits_(limits),
      handler_(std::move(handler)),
      patience_timer_(loop, [this] { on_patience(); }) {
  outer_.watch(inner_.fd(), EPOLLIN, [this](std::uint32_t) {
    init::guard("the control socket", [this] { inner_.step(); });
  });
}

ControlServer::~ControlServer() { outer_.unwatch(inner_.fd()); }

void ControlServer::serve(os::Fd listener, std::optional<gid_t> group) {
  listener_ = std::move(listener);
  group_ = group;
  inner_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_one(); });
  accepting_ = true;
}

void ControlServer::adopt(os::Fd connection) { admit(std::move(connection), false, true); }

void ControlServer::accept_one() {
  os::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) {
    // No descriptor is left, or the like: it would wake us for ever.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) pause_accepting();
    return;
  }
  const auto peer = os::peer_of(fd.get());
  const bool ours = peer && (peer->uid == 0 || peer->uid == ::geteuid());
  const bool reads =
      ours || (peer && group_ && std::ranges::find(peer->groups, *group_) != peer->groups.end());
  if (!reads) {
    const std::string line = refusal_line("only root and warminit's own user may ask");
    (void)::send(fd.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  admit(std::move(fd), ours, false);
  if (clients_.size() >= limits_.connections) pause_accepting();
}

void ControlServer::pause_accepting() {
  inner_.change(listener_.get(), 0);
  accepting_ = false;
  arm();
}

void ControlServer::resume_accepting() {
  if (accepting_ || !listener_ || clients_.size() >= limits_.connections) return;
  inner_.change(listener_.get(), EPOLLIN);
  accepting_ = true;
}

void ControlServer::admit(os::Fd fd, bool may_act, bool patient) {
  auto client = std::make_unique<Client>();
  client->id = next_id_++;
  client->may_act = may_act;
  client->patient = patient;
  if (!patient) client->until = Clock::now() + limits_.patience;
  const int number = fd.get();
  client->fd = std::move(fd);
  inner_.watch(number, EPOLLIN, [this, number](std::uint32_t events) { on_event(number, events); });
  clients_[number] = std::move(client);
  arm();
}

void ControlServer::on_event(int fd, std::uint32_t events) {
  const auto it = clients_.find(fd);
  if (it == clients_.end()) return;
  Client& client = *it->second;
  if ((events & EPOLLOUT) != 0) return client.out.empty() ? take_line(client) : write_to(client);
  if ((events & EPOLLIN) != 0) return read_from(client);
  drop(fd);  // Gone without having heard its answer.
}

void ControlServer::read_from(Client& client) {
  std::array<char, kMostRequestBytes> chunk{};
  const ssize_t n =
      ::recv(client.fd.get(), chunk.data(), chunk.size() - client.in.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return drop(client.fd.get());
  client.in.append(chunk.data(), static_cast<std::size_t>(n));
  take_line(client);
}

void ControlServer::take_line(Client& client) {
  const std::size_t end = client.in.find('\n');
  if (end == std::string::npos) {
    if (client.in.size() < kMostRequestBytes) return;
    client.leaving = true;
    return reply(client.id, refusal_line("a request has at most " +
                                         std::to_string(kMostRequestBytes) + " bytes"));
  }
  const auto request = parse_request(std::string_view(client.in).substr(0, end));
  client.in.erase(0, end + 1);
  client.until = Clock::time_point::max();  // The time until its answer is ours.
  inner_.change(client.fd.get(), kOnlyEnd);
  const std::uint64_t id = client.id;
  if (const auto* why = std::get_if<std::string>(&request)) return reply(id, refusal_line(*why));
  const auto verb = std::get<ControlVerb>(request);
  if (!only_reads(verb) && !client.may_act)
    return reply(id, refusal_line("only root and warminit's own user may ask for this"));
  handler_(verb, Answer(*this, id));
}

ControlServer::Client* ControlServer::find(std::uint64_t id) const {
  const auto it =
      std::ranges::find_if(clients_, [id](const auto& entry) { return entry.second->id == id; });
  return it == clients_.end() ? nullptr : it->second.get();
}

void ControlServer::reply(std::uint64_t id, const std::string& line) {
  Client* const found = find(id);
  if (found == nullptr) return;
  Client& client = *found;
  client.out += line;
  if (!client.patient) client.until = Clock::now() + limits_.patience;
  write_to(client);
}

void ControlServer::write_to(Client& client) {
  const int fd = client.fd.get();
  arm();
  const ssize_t n = ::send(fd, client.out.data(), client.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && errno != EAGAIN && errno != EINTR) return drop(fd);
  if (n > 0) client.out.erase(0, static_cast<std::size_t>(n));
  if (client.out.empty() && client.leaving) return drop(fd);
  // What it has asked meanwhile, without waiting for its answer, gets its turn like all others.
  const bool asked = client.in.find('\n') != std::string::npos;
  inner_.change(fd, !client.out.empty() || asked ? EPOLLOUT : EPOLLIN);
}

void ControlServer::drop(int fd) {
  inner_.unwatch(fd);
  clients_.erase(fd);
  resume_accepting();
}

void ControlServer::on_patience() {
  armed_ = false;
  std::vector<int> late;
  for (const auto& [fd, client] : clients_)
    if (client->until <= Clock::now()) late.push_back(fd);
  for (const int fd : late) drop(fd);
  resume_accepting();
  arm();
}

void ControlServer::arm() {
  if (armed_) return;  // The first to be late is looked at first; the others in their time.
  auto next = accepting_ || !listener_ ? Clock::time_point::max() : Clock::now() + limits_.patience;
  for (const auto& [fd, client] : clients_) next = std::min(next, client->until);
  if (next == Clock::time_point::max()) return;
  patience_timer_.set(std::max<Clock::duration>(next - Clock::now(), std::chrono::nanoseconds(1)));
  armed_ = true;
}

}  // namespace warminit::warm
