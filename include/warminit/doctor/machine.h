#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warminit/doctor/answer.h"

namespace warminit::doctor {

/// All that the checks see of the container. Tests put a folder, an environment and answers of
/// their own in its place.
///
/// Paths are those inside the container ("/dev/nvidia0"); `root` stands before each.
struct Machine {
  std::string root;
  std::map<std::string, std::string> environment;
  std::string driver_library;  ///< As --driver-library says.
  std::string socket;          ///< As --socket says; empty: none.

  /// What a fresh process finds that asks the driver; may take as long as the driver does.
  std::function<Answer(const Question&)> ask_driver;

  /// The errno of each, 0 for done. They get paths with the root.
  std::function<int(const std::string&)> open_device;  ///< Opens it to read and write, once.
  std::function<int(const std::string&)> write_into;   ///< Whether files can be made in a folder.
  std::function<int(const std::string&)> connect;      ///< To a stream socket.
  std::function<std::optional<std::uint64_t>(const std::string&)>
      capacity;  ///< File system, bytes.

  [[nodiscard]] std::string at(const std::string& path) const { return root + path; }
  [[nodiscard]] bool exists(const std::string& path) const;
  /// The first 64 KiB of a file; nothing where it cannot be read.
  [[nodiscard]] std::optional<std::string> read(const std::string& path) const;
  /// The names in a folder, sorted; none where it cannot be read.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const;
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;
};

/// A machine with the system calls that the real one has, without environment and driver.
Machine machine_at(const std::string& root);

/// The container that this process is in; the driver is not asked by it yet.
Machine this_machine();

}  // namespace warminit::doctor
