#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "warminit/doctor/examine.h"

namespace warminit::test {

/// A container in a folder, with one GPU, in which nothing is wrong; each test spoils one thing.
class FakeMachine {
 public:
  FakeMachine();

  doctor::Machine machine;
  doctor::Answer answer;                   ///< What the driver says.
  std::optional<doctor::Answer> unhidden;  ///< And without CUDA_VISIBLE_DEVICES; else the same.
  std::vector<doctor::Question> asked;

  /// Writes a file, with the folders above it.
  void add(const std::string& path, const std::string& content = "") const;
  void remove(const std::string& path) const;
  void link(const std::string& path, const std::string& target) const;

  /// Makes the driver answer with an error in place of devices.
  void driver_says(int code, const std::string& reason = "cuInit: CUDA_ERROR_X (why)");
  /// Takes libcuda away, as the loader would say it.
  void lose_library();
  /// Makes opening this node end with `error`.
  void refuse(const std::string& node, int error);

  [[nodiscard]] doctor::Findings examine() const { return doctor::examine(machine); }
  /// Worst first.
  [[nodiscard]] std::vector<std::string> codes() const;
  /// The finding with this code; a failure and an empty one where there is none.
  [[nodiscard]] doctor::Finding found(const std::string& code) const;

 private:
  TemporaryFolder folder_;
};

/// A device of the fake machine.
doctor::DeviceAnswer fake_device(int ordinal);

}  // namespace warminit::test
