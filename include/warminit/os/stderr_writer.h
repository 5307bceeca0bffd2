#pragma once

#include <sys/types.h>

#include <string_view>

#include "warminit/os/fd.h"

namespace warminit::os {

/// Writes lines to stderr and never waits for whoever reads it.
///
/// A line that does not fit now is dropped. The descriptor itself stays as it is:
/// O_NONBLOCK would belong to the command too, which shares the open file.
class StderrWriter {
 public:
  /// Writes all of `line`, or, where that would block or fail, drops it and returns false.
  bool write(std::string_view line);

 private:
  void prepare();
  ssize_t try_write(std::string_view line) const;

  Fd reopened_;  ///< Our own open file of the same pipe or terminal, non-blocking; may be absent.
  bool prepared_ = false;
  bool socket_ = false;
  bool torn_ = false;  ///< The last line was written in part.
};

}  // namespace warminit::os
