#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <string>
#include <utility>
#include <vector>

#include "support/process.h"

namespace warminit::test {

/// A terminal: the test holds the master, the program gets the slave as its controlling terminal.
class OnTerminal : public testing::Test {
 protected:
  void SetUp() override {
    int master = -1;
    int slave = -1;
    ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    master_ = os::Fd(master);
    slave_ = os::Fd(slave);
    ::fcntl(master, F_SETFD, FD_CLOEXEC);
    ::fcntl(slave, F_SETFD, FD_CLOEXEC);
  }

  [[nodiscard]] Process::Options on_terminal(std::vector<std::string> argv) const {
    return {.argv = std::move(argv), .stdin_fd = slave_.get(), .own_session = true};
  }

  os::Fd master_;
  os::Fd slave_;
};

}  // namespace warminit::test
