#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "warminit/exporter/limits.h"
#include "warminit/os/fd.h"

namespace warminit::test {

/// An exporter in a process of its own; the test is its clients and its PID 1.
class Served {
 public:
  explicit Served(const exporter::Limits& limits = {});
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served();

  /// Connects, and sends `text`.
  [[nodiscard]] os::Fd client(const std::string& text) const;

  /// As PID 1: waits for a question, and writes `line`.
  void answer(const std::string& line) const;

  /// The whole reply to `request`, with `line` as PID 1's answer.
  [[nodiscard]] std::string exchange(const std::string& request, const std::string& line) const;

  /// As PID 1, goes.
  void close_link() { link_ = os::Fd(); }

  /// The wait status of the exporter, once it has ended.
  int end();

  [[nodiscard]] int link() const { return link_.get(); }

 private:
  os::Fd link_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

/// A whole request for `target`.
std::string request(const std::string& target, const std::string& method = "GET",
                    const std::string& headers = "");

/// The port of a socket that listens on the loopback.
std::uint16_t port_of(const os::Fd& listening);

/// A connection to `port` on the loopback, with `text` sent.
os::Fd connected_client(std::uint16_t port, const std::string& text);

}  // namespace warminit::test
