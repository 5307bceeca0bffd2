#include "warminit/warm/ready_signal.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "warminit/init/log_event.h"

namespace warminit::warm {
namespace {

void complain(const std::string& what) {
  init::log_event(spdlog::level::warn, "error", "{}, ignoring: {}", what, std::strerror(errno));
}

std::string describe(const State& state) {
  return fmt::format("{}: {} of {} GPUs are ready", to_string(state.readiness()),
                     state.count(DeviceStatus::ready), state.devices().size());
}

}  // namespace

ReadySignal::ReadySignal(ReadyOptions options) : options_(std::move(options)) {
  if (options_.fd) {
    // What we have opened ourselves is close-on-exec, what we were given never is. To take one of
    // ours for theirs would in the end close it under us.
    const int flags = ::fcntl(*options_.fd, F_GETFD);
    if (flags > 0) errno = EBADF;
    if (flags == 0 && ::fcntl(*options_.fd, F_SETFD, FD_CLOEXEC) == 0)
      fd_ = os::Fd(*options_.fd);
    else
      complain(fmt::format("--ready-fd {}", *options_.fd));
  }
  const char* socket = ::getenv("NOTIFY_SOCKET");
  if (options_.notify && socket != nullptr && (socket[0] == '/' || socket[0] == '@')) {
    notify_socket_ = socket;
    ::unsetenv("NOTIFY_SOCKET");
  }
  if (!options_.file.empty()) (void)::unlink(options_.file.c_str());  // Of an earlier life.
}

void ReadySignal::on_state(const State& state) {
  const Readiness readiness = state.readiness();
  if (closed_ || told_ == readiness) return;
  told_ = readiness;
  const bool ready = readiness == Readiness::ready;
  if (ready != was_ready_) tell_file(ready);
  if (ready) tell_fd();
  notify("STATUS=" + describe(state) + (ready && !was_ready_ ? "\nREADY=1" : ""));
  was_ready_ = ready;
}

void ReadySignal::on_off() {
  if (closed_) return;
  tell_fd();
  notify("STATUS=off: no GPU is held (--hold off)\nREADY=1");
}

void ReadySignal::close() {
  if (std::exchange(closed_, true)) return;
  if (was_ready_) tell_file(false);
  notify("STOPPING=1");
  fd_ = os::Fd();
}

void ReadySignal::tell_fd() {
  if (!fd_) return;
  // A pipe or an eventfd with room, which is what is given here; a full one is not waited for.
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  (void)::fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK);
  if (::write(fd_.get(), "\n", 1) != 1) complain("--ready-fd");
  (void)::fcntl(fd_.get(), F_SETFL, flags);  // The description may be shared with others.
  fd_ = os::Fd();
}

void ReadySignal::tell_file(bool ready) const {
  if (options_.file.empty()) return;
  const char* path = options_.file.c_str();
  if (!ready) {
    if (::unlink(path) != 0 && errno != ENOENT) complain("--ready-file '" + options_.file + "'");
    return;
  }
  if (!os::Fd(::open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644)))
    complain("--ready-file '" + options_.file + "'");
}

void ReadySignal::notify(const std::string& message) const {
  if (notify_socket_.empty()) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (notify_socket_.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return complain("NOTIFY_SOCKET");
  }
  std::ranges::copy(notify_socket_, address.sun_path);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // An abstract name.
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + notify_socket_.size());
  const os::Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), size) < 0)
    complain("NOTIFY_SOCKET '" + notify_socket_ + "'");
}

}  // namespace warminit::warm
