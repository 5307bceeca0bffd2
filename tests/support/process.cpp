#include "support/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace warminit::test {
namespace {

using Clock = std::chrono::steady_clock;

std::array<os::Fd, 2> make_pipe() {
  std::array<int, 2> ends{};
  os::check(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  return {os::Fd(ends[0]), os::Fd(ends[1])};
}

/// fork, or the same into a PID namespace of its own.
pid_t start(Process::Place place) {
  if (place == Process::Place::here) return os::check(::fork(), "fork");
  const long flags = CLONE_NEWPID | CLONE_NEWNS | SIGCHLD;
  return static_cast<pid_t>(os::check(::syscall(SYS_clone, flags, 0, 0, 0, 0), "clone"));
}

int remaining(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

}  // namespace

Process::Process(Options options) {
  auto [out_read, out_write] = make_pipe();
  auto [err_read, err_write] = make_pipe();
  pid_ = start(options.place);
  if (pid_ == 0) become(options, out_write.get(), err_write.get());
  pidfd_ = os::Fd(static_cast<int>(os::check(::syscall(SYS_pidfd_open, pid_, 0), "pidfd_open")));
  out_fd_ = std::move(out_read);
  err_fd_ = std::move(err_read);
}

Process::~Process() {
  if (code_) return;
  ::kill(pid_, SIGKILL);
  ::kill(pid_, SIGCONT);
  ::waitpid(pid_, nullptr, 0);
}

void Process::become(const Options& options, int out, int err) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (options.place == Place::pid_namespace) {
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(99);
    if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) ::_exit(98);
  }
  // A container runtime gives PID 1 a session of its own.
  if (options.own_session || options.place == Place::pid_namespace) ::setsid();
  const int in = options.stdin_fd ? *options.stdin_fd : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(in, STDIN_FILENO);
  if (options.own_session) ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(options.stderr_fd.value_or(err), STDERR_FILENO);
  if (options.close_stderr) ::close(STDERR_FILENO);
  // The leak check of a sanitized holder stops its threads by ptrace, which the SIGCONT at the end
  // of a container can upset; the unit tests do check for leaks.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int number : options.blocked) sigaddset(&blocked, number);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  for (const int number : options.ignored) ::signal(number, SIG_IGN);
  std::vector<char*> argv;
  for (const std::string& argument : options.argv)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // What the test itself was started with is none of the program's business.
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  ::execvp(argv[0], argv.data());
  ::_exit(97);
}

void Process::signal(int number) const { os::check(::kill(pid_, number), "kill"); }

bool Process::drain(os::Fd& fd, std::string& text) {
  std::array<char, 65536> chunk{};
  const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
  if (n <= 0) {
    fd = os::Fd();
    return false;
  }
  text.append(chunk.data(), static_cast<std::size_t>(n));
  return true;
}

bool Process::pump(Clock::time_point deadline) {
  std::array<pollfd, 3> fds{{{out_fd_.get(), POLLIN, 0},
                             {err_fd_.get(), POLLIN, 0},
                             {code_ ? -1 : pidfd_.get(), POLLIN, 0}}};
  if (::poll(fds.data(), fds.size(), remaining(deadline)) <= 0) return false;
  if (fds[0].revents != 0) drain(out_fd_, out_);
  if (fds[1].revents != 0) drain(err_fd_, err_);
  if (fds[2].revents != 0) {
    int status = 0;
    os::check(::waitpid(pid_, &status, 0), "waitpid");
    code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return true;
}

bool Process::wait_for(const std::string& text, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    if (out_.find(text) != std::string::npos || err_.find(text) != std::string::npos) return true;
    if (!out_fd_ && !err_fd_) return false;
    if (!pump(deadline)) return false;
  }
}

std::optional<int> Process::wait(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!code_)
    if (!pump(deadline)) return std::nullopt;
  // What it wrote last; a process that it left behind may keep the pipe open, so no further.
  std::array<pollfd, 1> ready{};
  for (auto [fd, text] : {std::pair{&out_fd_, &out_}, std::pair{&err_fd_, &err_}}) {
    ready[0] = {fd->get(), POLLIN, 0};
    while (*fd && ::poll(ready.data(), 1, 0) == 1 && drain(*fd, *text)) {
    }
  }
  return code_;
}

std::optional<pid_t> Process::child_named(const std::string& comm) const {
  const std::string pid = std::to_string(pid_);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) {
    std::ifstream file("/proc/" + std::to_string(child) + "/comm");
    std::string name;
    if (std::getline(file, name) && name == comm) return child;
  }
  return std::nullopt;
}

bool can_make_namespaces() {
  static const bool can = [] {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(::unshare(CLONE_NEWPID | CLONE_NEWNS) == 0 ? 0 : 1);
    int status = 0;
    return pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
  }();
  return can;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

bool is_emulated() { return warminit({}, {}).front().find("qemu") != std::string::npos; }

std::vector<std::string> warminit(std::vector<std::string> options,
                                  const std::vector<std::string>& command) {
  // For a binary of another machine: the emulator, its options and the binary, split at spaces.
  const char* other = std::getenv("WARMINIT_TEST_BINARY");
  std::istringstream words(other != nullptr ? other : WARMINIT_BINARY);
  std::vector<std::string> argv{std::istream_iterator<std::string>(words), {}};
  argv.insert(argv.end(), options.begin(), options.end());
  if (!command.empty()) argv.emplace_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

std::string program(const std::string& name) {
  return std::string(TEST_PROGRAMS) + "/test_" + name;
}

std::map<std::string, std::string> simulated(std::map<std::string, std::string> switches) {
  switches.emplace("WARMINIT_DRIVER_LIBRARY", SIMCUDA_LIBRARY);
  return switches;
}

}  // namespace warminit::test
