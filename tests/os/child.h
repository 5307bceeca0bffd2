#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "support/temporary_folder.h"
#include "warminit/os/fd.h"

/// What tests of this program's parts need of the operating system: pipes, children, patience.
namespace warminit::test {

/// What only a failure needs.
inline constexpr std::chrono::seconds kUntilFailure{20};

struct Pipe {
  Pipe();
  os::Fd read_end;
  os::Fd write_end;
};

/// Reads `fd` to its end; gives up, with a failure, when the time is over.
std::string read_all(int fd);

/// Whether `fd` becomes readable, or comes to its end, in time.
bool becomes_readable(int fd, std::chrono::milliseconds patience = kUntilFailure);

/// The wait status of `pid`, a child; killed, with a failure, when the time is over.
int end_of(pid_t pid);

/// Waits until `pid`, a child, is dead, but leaves it to be reaped.
void wait_until_dead(pid_t pid);

/// A child of one thread that runs `body`; what it EXPECTs is reported there, and is its exit code.
pid_t fork_child(const std::function<void()>& body);

/// Runs `body` in a child and expects that it passes.
void in_child(const std::function<void()>& body);

/// The same, with stderr captured: returns what it wrote there. `body` cannot EXPECT anything.
std::string stderr_of_child(const std::function<void()>& body);

/// A child that sleeps until it is killed, when this object goes at the latest.
class Sleeper {
 public:
  Sleeper();
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

/// Sets an environment variable for the life of this object; null unsets it.
class ScopedVariable {
 public:
  ScopedVariable(const std::string& name, const char* value);
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable();

 private:
  std::string name_;
  bool was_set_ = false;
  std::string before_;
};

}  // namespace warminit::test
