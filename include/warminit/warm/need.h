#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace warminit::warm {

/// Watches whether any other process uses the GPUs that a holder keeps warm.
///
/// A process uses them while it has one of the driver's device files open, as every process with a
/// context has. Seen are processes in this PID namespace whose descriptors this user may read.
class Need {
 public:
  /// `files`: the driver's device files; with none, nothing can be said and the need is never over.
  Need(const std::vector<std::string>& files, std::chrono::milliseconds patience);

  /// How often is_over() wants to be called: often enough to miss only programs that use a GPU for
  /// a moment, seldom enough to cost nothing.
  [[nodiscard]] std::chrono::milliseconds interval() const;

  /// Looks once. Whether nobody has been seen for `patience`. Looks are counted, not the clock: a
  /// container that was paused has not been idle.
  bool is_over();

 private:
  [[nodiscard]] bool is_in_use() const;

  std::set<std::string> files_;
  std::chrono::milliseconds patience_;
  std::chrono::milliseconds idle_{0};
};

}  // namespace warminit::warm
