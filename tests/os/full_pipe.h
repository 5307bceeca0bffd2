#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "os/child.h"

namespace warminit::test {

/// A pipe that is full to the last byte; its ends block.
class FullPipe : public Pipe {
 public:
  FullPipe() {
    ::fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
    const std::string block(4096, 'x');
    while (::write(write_end.get(), block.data(), block.size()) > 0) {
    }
    while (::write(write_end.get(), "x", 1) > 0) {
    }
    ::fcntl(write_end.get(), F_SETFL, 0);
  }
  /// Takes everything out.
  std::string drain() {
    std::string text;
    std::array<char, 4096> chunk{};
    while (test::becomes_readable(read_end.get(), std::chrono::milliseconds(0)))
      text.append(chunk.data(),
                  static_cast<std::size_t>(::read(read_end.get(), chunk.data(), chunk.size())));
    return text;
  }
};

/// Makes `fd` the stderr of this process, a child of the test.
inline void become_stderr(int fd) { ASSERT_EQ(::dup2(fd, STDERR_FILENO), STDERR_FILENO); }

}  // namespace warminit::test
