#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "init/world.h"
#include "os/child.h"
#include "warminit/init/command.h"

namespace warminit::test {

/// A world in which a command runs, with its stdout on a pipe; the loop stops when it ends.
struct Running : World {
  explicit Running(std::vector<std::string> argv, bool group = false, bool masked = true)
      : Running(options(std::move(argv), group, masked)) {}
  explicit Running(init::Command::Options options) : command(std::move(options)) { catch_output(); }
  void catch_output() {
    ::dup2(pipe.write_end.get(), STDOUT_FILENO);
    pipe.write_end = os::Fd();
  }
  static init::Command::Options options(std::vector<std::string> argv, bool group = false,
                                        bool masked = true) {
    init::Command::Options options;
    options.argv = std::move(argv);
    if (group) options.target = init::SignalTarget::group;
    if (masked) sigfillset(&options.signals.mask);  // Until test_signals waits for them.
    return options;
  }

  void start() {
    command.start(reaper, [this](int ended) {
      ++endings;
      code = ended;
      loop.stop();
    });
  }
  /// Reads until `text` has come.
  void wait_for(const std::string& text) {
    char byte = 0;
    while (output.find(text) == std::string::npos)
      if (!becomes_readable(pipe.read_end.get()) || ::read(pipe.read_end.get(), &byte, 1) != 1)
        return void(ADD_FAILURE() << "no '" << text << "' in " << output);
      else
        output += byte;
  }
  /// Runs to the end; all that it has written.
  std::string finish() {
    loop.run();
    ::close(STDOUT_FILENO);
    return output + read_all(pipe.read_end.get());
  }

  Pipe pipe;
  std::string output;
  int code = -1;
  int endings = 0;
  init::Command command;
};

}  // namespace warminit::test
