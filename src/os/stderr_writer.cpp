#include "warminit/os/stderr_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace warminit::os {

StderrWriter::StderrWriter() {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0) return;
  socket_ = S_ISSOCK(status.st_mode);
  // Files and /dev/null do not block, and reopening a file would lose its offset.
  if (S_ISFIFO(status.st_mode) || ::isatty(STDERR_FILENO) != 0)
    reopened_ =
        Fd(::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_APPEND));
}

bool StderrWriter::write(std::string_view line) const {
  ssize_t n = 0;
  if (socket_) {
    n = ::send(STDERR_FILENO, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } else if (reopened_) {
    n = ::write(reopened_.get(), line.data(), line.size());
  } else {
    // Another user's pipe cannot be reopened. Where it can be written, it takes PIPE_BUF bytes
    // at once (pipe(7)), and our lines are shorter, so that only a race could still block.
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return false;
    n = ::write(STDERR_FILENO, line.data(), line.size());
  }
  return n > 0;
}

}  // namespace warminit::os
