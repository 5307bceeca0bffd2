#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "warminit/os/signals.h"

namespace warminit::os {

/// Where a new process stands among the others.
enum class Place {
  our_group,    ///< In our process group.
  own_group,    ///< It leads a process group.
  own_session,  ///< It leads a session, whose terminal stdin becomes if that is free.
};

/// What to start, and in which surroundings. LISTEN_PID, if it names us, names the new process.
struct SpawnOptions {
  std::vector<std::string> argv;  ///< Not empty; argv[0] is searched for in PATH, as execvp does.
  std::string file;               ///< Where not empty, this file is executed in place of argv[0].
  SignalState signals;            ///< The mask and dispositions that it starts with.
  std::map<std::string, std::string> environment;  ///< Set on top of our own environment.
  std::vector<std::string> without;  ///< Variables of ours whose names begin so are left out.
  std::map<int, int> descriptors;    ///< Theirs to ours; standard ones not named are inherited.
  bool only_descriptors = false;     ///< Beyond those and the standard ones it inherits none.
  Place place = Place::own_group;
  bool foreground = false;  ///< Its group becomes the foreground of the terminal on stdin.
};

/// exec failed: `code()` is its errno, `file` the path that was tried last.
struct ExecError : std::system_error {
  ExecError(int error, const std::string& tried)
      : std::system_error(error, std::generic_category(), tried), file(tried) {}
  std::string file;
};

/// Starts a program and returns its pid once it runs, that is once exec has succeeded.
///
/// Only for a process of one thread. The caller must reap the child. A file without a header
/// that the kernel knows is given to /bin/sh, as by execvp, but never an ELF of another machine.
///
/// Errors: ExecError where the program cannot be executed (nothing is left to reap);
/// std::system_error where no process could be made.
pid_t spawn(const SpawnOptions& options);

/// Where this program lies, for starting it again: /proc/self/exe, or the path that the kernel
/// was given where /proc is not mounted.
std::string own_executable();

}  // namespace warminit::os
