#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "device.h"
#include "faults.h"
#include "file_lock.h"
#include "switches.h"

namespace warminit::simcuda {

/// The driver's state in this process: one, from the first call to the process's end. Any thread
/// may use it.
class Process {
 public:
  static Process& instance();

  const Switches& switches() const { return switches_; }
  Faults& faults() { return faults_; }

  cuda::abi::CUresult initialise(unsigned flags);
  /// False in a child that was forked after cuInit, too: CUDA does not work there.
  bool initialised() const;

  /// The visible devices, by ordinal. Constant once initialised.
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  /// Null if there is no such device. The handle of a device is its ordinal.
  Device* find(cuda::abi::CUdevice handle) const;
  Device* find(cuda::abi::CUcontext handle) const;

  /// The error that has made every context of this process unusable; CUDA_SUCCESS if none has.
  cuda::abi::CUresult sticky();
  /// Takes note of what a context call answers, and returns it.
  cuda::abi::CUresult note(cuda::abi::CUresult result);

 private:
  Process();
  cuda::abi::CUresult start();
  bool open_device_file();
  bool register_on_host();

  const Switches switches_;
  Faults faults_;
  std::mutex mutex_;  ///< One cuInit at a time.
  std::atomic<bool> initialised_ = false;
  pid_t pid_ = 0;  ///< This and all below: constant once initialised.
  std::unique_ptr<FileLock> registration_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::chrono::steady_clock::time_point started_;
  std::atomic<cuda::abi::CUresult> sticky_ = cuda::abi::CUDA_SUCCESS;
};

/// The device whose context is current to this thread; null if none is.
Device* current_device();
void set_current_device(Device* device);

}  // namespace warminit::simcuda
