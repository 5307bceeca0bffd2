#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "warminit/cuda/driver.h"

namespace warminit::simcuda_test {

namespace abi = cuda::abi;
using cuda::Driver;

using Environment = std::map<std::string, std::string>;

/// How a simulation ended.
struct Ending {
  int status = 0;    ///< Of waitpid.
  std::string said;  ///< All that it wrote to stderr.
};

/// A child process in which the simulated driver is loaded, with switches of its own: they are read
/// once per process, and a call may crash or hang. The library is a copy, because the tests of
/// other folders may have loaded the real file into this process before.
///
/// `body` runs in the child; what it EXPECTs is reported there, and fails the child. The child dies
/// with this object.
class Simulation {
 public:
  class Peer;
  using Body = std::function<void(const Driver&, Peer&)>;

  Simulation(const Environment& switches, const Body& body);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// The other end of tell() and hears().
  class Peer {
   public:
    void tell() const;
    /// Waits for one tell() of the other process; false if none comes before it ends, or in time.
    bool hears(std::chrono::milliseconds patience = std::chrono::seconds(30)) const;

   private:
    friend class Simulation;
    int read_ = -1;
    int write_ = -1;
  };
  Peer& peer() { return peer_; }

  pid_t pid() const { return pid_; }
  void kill() const;
  /// Waits for the end of the child; kills it after half a minute.
  Ending end();

 private:
  [[noreturn]] void run(const Environment& switches, const Body& body);

  Peer peer_;
  pid_t pid_ = -1;
  int said_ = -1;
};

/// Runs `body` in a simulation and expects that it passes; returns what it wrote to stderr.
std::string simulate(const Environment& switches, const std::function<void(const Driver&)>& body);

/// cuInit, the primary context of `device` retained and current.
abi::CUcontext enter(const Driver& driver, abi::CUdevice device = 0);

/// A path for SIMCUDA_SHARED that no other test has, in a folder that goes with this object.
class SharedPath {
 public:
  SharedPath();
  SharedPath(const SharedPath&) = delete;
  SharedPath& operator=(const SharedPath&) = delete;
  ~SharedPath();
  std::string path() const { return folder_ + "/host"; }

 private:
  std::string folder_;
};

}  // namespace warminit::simcuda_test
