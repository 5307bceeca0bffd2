#include "os/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace warminit::test {
namespace {

os::Fd pidfd_of(pid_t pid) {
  return os::Fd(static_cast<int>(os::check(::syscall(SYS_pidfd_open, pid, 0), "pidfd_open")));
}

}  // namespace

Pipe::Pipe() {
  std::array<int, 2> ends{};
  os::check(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  read_end = os::Fd(ends[0]);
  write_end = os::Fd(ends[1]);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    if (!becomes_readable(fd)) {
      ADD_FAILURE() << "no end after: " << text;
      return text;
    }
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

bool becomes_readable(int fd, std::chrono::milliseconds patience) {
  pollfd waited{fd, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(patience.count())) == 1;
}

void wait_until_dead(pid_t pid) {
  if (becomes_readable(pidfd_of(pid).get())) return;
  ADD_FAILURE() << "process " << pid << " does not end";
  ::kill(pid, SIGKILL);
}

int end_of(pid_t pid) {
  wait_until_dead(pid);
  int status = -1;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

pid_t fork_child(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t pid = os::check(::fork(), "fork");
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    body();
  } catch (const std::exception& e) {  // Must not get into what the parent does next.
    ADD_FAILURE() << "threw " << e.what();
  }
  std::fflush(nullptr);
  ::_exit(::testing::Test::HasFailure() ? 1 : 0);  // Not exit(): gtest's end is the parent's.
}

void in_child(const std::function<void()>& body) { EXPECT_EQ(end_of(fork_child(body)), 0); }

std::string stderr_of_child(const std::function<void()>& body) {
  Pipe pipe;
  const pid_t pid = fork_child([&] {
    ::dup2(pipe.write_end.get(), STDERR_FILENO);
    body();
  });
  pipe.write_end = os::Fd();
  std::string text = read_all(pipe.read_end.get());
  EXPECT_EQ(end_of(pid), 0) << text;
  return text;
}

Sleeper::Sleeper()
    : pid_(fork_child([] {
        for (;;) ::pause();
      })) {}

Sleeper::~Sleeper() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

ScopedVariable::ScopedVariable(const std::string& name, const char* value) : name_(name) {
  if (const char* before = ::getenv(name.c_str())) {
    was_set_ = true;
    before_ = before;
  }
  if (value != nullptr)
    ::setenv(name.c_str(), value, 1);
  else
    ::unsetenv(name.c_str());
}

ScopedVariable::~ScopedVariable() {
  if (was_set_)
    ::setenv(name_.c_str(), before_.c_str(), 1);
  else
    ::unsetenv(name_.c_str());
}

}  // namespace warminit::test
