#pragma once

#include <memory>
#include <string>

/// SIMCUDA_SHARED=PATH: how processes that simulate one host know of each other. Only files, so
/// that a process may end in any way:
///
///     PATH                        locked, shared, by every process that has initialised
///     PATH.context-DEVICE         locked, exclusively, by the process with the context of a device
///                                 in exclusive mode
///     PATH.KIND-N-FUNCTION-DEVICE one byte per call that rule N (from 0) of SIMCUDA_KIND matched
namespace warminit::simcuda {

/// An open file and the flock on it, which ends with the process or with this object.
///
/// Not inherited by forked children, unlike a flock: it would outlive the process there.
class FileLock {
 public:
  /// Opens `path`, creating it; null with errno set if that fails.
  static std::unique_ptr<FileLock> open(const std::string& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Takes the lock exclusively unless another process has it.
  [[nodiscard]] bool try_exclusive() const;
  /// Waits until nobody has it exclusively; an exclusive lock becomes a shared one.
  void share() const;

 private:
  explicit FileLock(int fd);
  int fd_;
};

/// Appends a byte to `path` and returns its new size: a counter that all processes share. 0 if the
/// file cannot be written.
unsigned long count_in_file(const std::string& path);

}  // namespace warminit::simcuda
