#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "warminit/os/event_loop.h"
#include "warminit/os/fd.h"
#include "warminit/warm/holder.h"
#include "warminit/warm/report.h"

namespace warminit::warm {

/// Init's end of the socket to a process that uses the driver and reports: the holder, or a probe.
///
/// Takes in reports piece by piece, and trusts nothing of what comes.
class ReportLink {
 public:
  struct Hooks {
    std::function<void(const Report&)> report;
    std::function<void()> misbehaved;  ///< It writes what are no reports; it has been logged.
  };

  ReportLink(os::EventLoop& loop, Hooks hooks);
  ~ReportLink();
  ReportLink(const ReportLink&) = delete;
  ReportLink& operator=(const ReportLink&) = delete;

  /// Starts the process of `options` from `executable`, with its end of a new socket. Throws
  /// std::system_error.
  pid_t start(const HolderOptions& options, const std::string& executable);

  /// Takes in what is left of a process that has ended, and closes.
  void finish();

  /// Closes the socket: the process at the other end releases what it holds and ends.
  void close();

 private:
  void on_readable();
  void on_line(const std::string& line);
  void misbehave(const char* what);

  os::EventLoop& loop_;
  Hooks hooks_;
  os::Fd socket_;
  std::string buffer_;  ///< The beginning of a line whose rest is still to come.
  int bad_lines_ = 0;
};

}  // namespace warminit::warm
