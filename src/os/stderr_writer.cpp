#include "warminit/os/stderr_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <cerrno>
#include <string>

namespace warminit::os {

void StderrWriter::prepare() {
  prepared_ = true;
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0) return;
  socket_ = S_ISSOCK(status.st_mode);
  // Files and /dev/null do not block, and reopening a file would lose its offset.
  if (S_ISFIFO(status.st_mode) || ::isatty(STDERR_FILENO) != 0)
    reopened_ =
        Fd(::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_APPEND));
}

bool StderrWriter::write(std::string_view line) {
  if (!prepared_) prepare();  // Not before: the command does not wait for it.
  // What has begun a line without ending it, on a slow terminal or a full disk, ends it now.
  const std::string whole = torn_ ? "\n" + std::string(line) : "";
  if (torn_) line = whole;
  const ssize_t n = try_write(line);
  if (n > 0) torn_ = static_cast<std::size_t>(n) < line.size();
  return n == static_cast<ssize_t>(line.size());
}

ssize_t StderrWriter::try_write(std::string_view line) const {
  if (socket_) return ::send(STDERR_FILENO, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (reopened_) return ::write(reopened_.get(), line.data(), line.size());
  // Another user's pipe cannot be reopened: the kernel is asked not to wait.
  const iovec text{const_cast<char*>(line.data()), line.size()};
  const ssize_t n = ::pwritev2(STDERR_FILENO, &text, 1, -1, RWF_NOWAIT);
  if (n >= 0 || errno == EAGAIN || errno == EPIPE) return n;
  // It knows no such way here, or a seccomp profile does not know the call. A pipe that can be
  // written takes PIPE_BUF bytes at once (pipe(7)), and our lines are shorter, so that only a race
  // could still block.
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return -1;
  return ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace warminit::os
