#include "warminit/os/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "warminit/os/descriptors.h"
#include "warminit/os/fd.h"

namespace warminit::os {
namespace {

/// Everything that the child needs, made before the fork: the child only makes system calls.
struct Plan {
  std::vector<std::string> files;  ///< In the order of PATH; the first that executes is taken.
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> shell_argv;  ///< sh FILE argv[1]…; FILE is filled in by the child.
  std::vector<char*> envp;
  char* listen_pid = nullptr;  ///< Where in `environment` the child writes its pid, if anywhere.
};

constexpr std::size_t kMostPidDigits = 10;

std::vector<std::string> candidates(const SpawnOptions& options) {
  if (!options.file.empty()) return {options.file};
  const std::string& name = options.argv.front();
  if (name.find('/') != std::string::npos || name.empty()) return {name};
  const char* variable = ::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/bin:/usr/bin";
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    files.push_back(folder.empty() ? name : folder + "/" + name);
    begin = end + 1;
  }
  return files;
}

std::vector<std::string> merged_environment(const SpawnOptions& options) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool left_out = std::ranges::any_of(
        options.without, [text](const std::string& begin) { return text.starts_with(begin); });
    if (!left_out && !options.environment.contains(std::string(text.substr(0, text.find('=')))))
      merged.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

/// sd_listen_fds(3): descriptors belong to the process that LISTEN_PID names. If that is us, it
/// shall be the new one, whose pid only it knows: room for it.
void prepare_listen_pid(Plan& plan) {
  constexpr std::string_view kName = "LISTEN_PID=";
  std::erase_if(plan.environment,
                [](const std::string& entry) { return entry.starts_with("LISTEN_PIDFDID="); });
  for (std::string& entry : plan.environment) {
    if (entry != std::string(kName) + std::to_string(::getpid())) continue;
    entry.resize(kName.size() + kMostPidDigits);
    plan.listen_pid = entry.data() + kName.size();
  }
}

/// Without a heap: between fork and exec.
void write_pid(char* text) {
  const auto [end, error] = std::to_chars(text, text + kMostPidDigits, ::getpid());
  *end = '\0';
}

Plan make_plan(const SpawnOptions& options) {
  Plan plan;
  plan.files = candidates(options);
  plan.environment = merged_environment(options);
  if (::getenv("LISTEN_PID") != nullptr) prepare_listen_pid(plan);
  plan.argv = pointers(options.argv);
  plan.envp = pointers(plan.environment);
  static char shell[] = "sh";
  plan.shell_argv = {shell, nullptr};
  plan.shell_argv.insert(plan.shell_argv.end(), plan.argv.begin() + 1, plan.argv.end());
  return plan;
}

/// Whether a shell can make something of the file: it can be read, and is no binary of some
/// machine.
bool is_for_shell(const char* file) {
  const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4> magic{};
  const bool elf = ::read(fd, magic.data(), magic.size()) == 4 &&
                   std::memcmp(magic.data(), "\177ELF", magic.size()) == 0;
  ::close(fd);
  return !elf;
}

/// Why a file could not be executed, in the order of how much that tells.
enum class Obstacle {
  absent,  ///< No such file; or in a folder that may not be searched, where shells say so too.
  no_interpreter,  ///< It is there; what its first line or its header names is not.
  other,
};

Obstacle obstacle_of(const char* file, int error) {
  const bool seen = ::access(file, F_OK) == 0;
  if (error == ENOENT || error == ENOTDIR)
    return seen ? Obstacle::no_interpreter : Obstacle::absent;
  return error == EACCES && !seen ? Obstacle::absent : Obstacle::other;
}

/// Executes the first file that can be, as execvp does; returns the errno that says most about why
/// none could, and in `tried` which file that was.
int execute(Plan& plan, std::size_t& tried) {
  int result = ENOENT;
  auto most = Obstacle::absent;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const char* file = plan.files[i].c_str();
    ::execve(file, plan.argv.data(), plan.envp.data());
    int error = errno;
    if (error == ENOEXEC && is_for_shell(file)) {
      plan.shell_argv[1] = const_cast<char*>(file);
      ::execve("/bin/sh", plan.shell_argv.data(), plan.envp.data());
      error = errno;  // ENOENT where there is no shell.
    }
    const Obstacle obstacle = obstacle_of(file, error);
    if (obstacle > most || i == 0) {
      most = obstacle;
      tried = i;
      result = obstacle == Obstacle::other ? error : ENOENT;
    }
    const bool go_on = obstacle != Obstacle::other || error == EACCES || error == ESTALE ||
                       error == ENODEV || error == ETIMEDOUT;
    if (!go_on) break;
  }
  return result;
}

/// Copies of descriptors stand from here on while targets below are filled.
constexpr int kAboveTargets = 16;

/// Moves `descriptors` into place. Two passes, because a target may be another's source.
bool place_descriptors(const std::map<int, int>& descriptors) {
  std::array<int, 8> copies{};
  std::size_t count = 0;
  for (const auto& [theirs, ours] : descriptors) {
    if (count == copies.size()) return false;
    copies[count++] = ::fcntl(ours, F_DUPFD_CLOEXEC, kAboveTargets);
    if (copies[count - 1] < 0) return false;
  }
  count = 0;
  for (const auto& [theirs, ours] : descriptors)
    if (::dup2(copies[count++], theirs) < 0) return false;
  return true;
}

/// The lowest number above the standard descriptors and all targets.
int first_free(const std::map<int, int>& descriptors) {
  return std::max(STDERR_FILENO, descriptors.empty() ? 0 : descriptors.rbegin()->first) + 1;
}

struct Failure {
  int error = 0;
  std::size_t tried = 0;
};

/// Makes the place of `options`, in the child: a program that reads its terminal at once must find
/// itself in front. SIGTTOU is blocked.
void take_place(const SpawnOptions& options) {
  if (options.place == Place::own_session) {
    (void)::setsid();
    (void)::ioctl(STDIN_FILENO, TIOCSCTTY, 0);  // Fails where it is no terminal or not free.
  }
  if (options.place == Place::own_group)
    (void)::setpgid(0, 0);  // Fails only for a session leader, which has one.
  // Not stolen from somebody else's job: only where we stand in front ourselves.
  if (options.foreground) (void)::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

/// In the child: never returns.
[[noreturn]] void become(const SpawnOptions& options, Plan& plan, int report) {
  Failure failure;
  if (plan.listen_pid != nullptr) write_pid(plan.listen_pid);
  if (!options.descriptors.empty())  // Else a target may take its place.
    report = ::fcntl(report, F_DUPFD_CLOEXEC, kAboveTargets);
  take_place(options);
  if (report >= 0 && place_descriptors(options.descriptors)) {
    if (options.only_descriptors) close_on_exec_from(first_free(options.descriptors));
    restore_signals(options.signals);
    failure.error = execute(plan, failure.tried);
  } else {
    failure.error = errno;
  }
  (void)!::write(report, &failure, sizeof failure);
  ::_exit(127);
}

struct Child {
  const SpawnOptions* options;
  Plan* plan;
  int report;
};

int run_child(void* child) {
  const auto* self = static_cast<Child*>(child);
  become(*self->options, *self->plan, self->report);
}

/// fork; but the child borrows our memory, and we wait, until it executes, as with vfork: copying
/// the page tables would double the time that the command waits for its start. It stands on a stack
/// of its own, and changes nothing that we read afterwards.
pid_t start_child(Child& child) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // The sanitizers keep books about the stack, and say so on stderr where it is another.
  const pid_t pid = check(::fork(), "fork");
  if (pid == 0) run_child(&child);
  return pid;
#else
  alignas(16) static std::array<std::byte, 32768> stack;  // One child at a time stands on it.
  return check(
      ::clone(run_child, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &child),
      "clone");
#endif
}

}  // namespace

pid_t spawn(const SpawnOptions& options) {
  Plan plan = make_plan(options);
  std::array<int, 2> ends{};
  check(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);

  Child child{&options, &plan, write_end.get()};
  const pid_t pid = start_child(child);
  write_end = Fd();
  // The child does the same; whoever comes first, the group exists before we go on.
  if (options.place == Place::own_group) (void)::setpgid(pid, pid);

  Failure failure;
  ssize_t n = 0;
  do {
    n = ::read(read_end.get(), &failure, sizeof failure);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof failure) return pid;  // Closed by exec.
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  throw ExecError(failure.error, plan.files.at(failure.tried));
}

std::string own_executable() {
  if (::access("/proc/self/exe", X_OK) == 0) return "/proc/self/exe";
  const auto path = ::getauxval(AT_EXECFN);
  return path != 0 ? reinterpret_cast<const char*>(path) : "";
}

}  // namespace warminit::os
