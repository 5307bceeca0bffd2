#include "simcuda/simulation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace warminit::simcuda_test {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

/// Waits until `fd` has something to read or is at its end.
bool wait_for(int fd, std::chrono::milliseconds patience) {
  pollfd waited{fd, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(patience.count())) == 1;
}

std::string new_folder() {
  std::string folder = ::testing::TempDir() + "simcuda-XXXXXX";
  return ::mkdtemp(folder.data()) == nullptr ? std::string() : folder;
}

/// The copy of the library, and its folder for as long as this process lives.
const std::string& library() {
  static const SharedPath place;
  static const std::string copy = [] {
    std::string path = place.path();
    std::filesystem::copy_file(SIMCUDA_LIBRARY, path);
    return path;
  }();
  return copy;
}

/// Leaves nothing of this process's environment that the driver reads but `switches`.
void set_environment(const Environment& switches) {
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  for (const char* name : {"DEVICES", "INIT_MS", "CONTEXT_MS", "MEMORY_MIB", "COMPUTE_MODE", "MIG",
                           "FAIL", "HANG", "HANG_AFTER_MS", "DEVICE_FILE", "CRASH", "WRONG_RESULT",
                           "STICKY_AFTER_MS", "DRIVER_VERSION", "SHARED"})
    ::unsetenv((std::string("SIMCUDA_") + name).c_str());
  for (const auto& [name, value] : switches) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace

Simulation::Simulation(const Environment& switches, const Body& body) {
  int to_child[2];
  int to_parent[2];
  if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(to_parent, O_CLOEXEC) != 0) std::abort();
  said_ = ::memfd_create("stderr", MFD_CLOEXEC);
  (void)library();
  std::fflush(nullptr);
  pid_ = ::fork();
  const bool child = pid_ == 0;
  peer_.read_ = child ? to_child[0] : to_parent[0];
  peer_.write_ = child ? to_parent[1] : to_child[1];
  ::close(child ? to_child[1] : to_parent[1]);
  ::close(child ? to_parent[0] : to_child[0]);
  if (child) run(switches, body);
}

void Simulation::run(const Environment& switches, const Body& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(said_, STDERR_FILENO);
  set_environment(switches);
  auto driver = Driver::load(library());
  if (driver) {
    body(*driver, peer_);
  } else {
    ADD_FAILURE() << driver.error().what;
  }
  std::fflush(nullptr);
  ::_exit(::testing::Test::HasFailure() ? 1 : 0);  // Not exit(): gtest's ends belong to the parent.
}

Simulation::~Simulation() {
  if (pid_ > 0) {
    kill();
    (void)end();
  }
  for (const int fd : {said_, peer_.read_, peer_.write_}) ::close(fd);
}

void Simulation::kill() const { ::kill(pid_, SIGKILL); }

Ending Simulation::end() {
  const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (pidfd < 0 || !wait_for(pidfd, kPatience)) kill();
  ::close(pidfd);
  Ending ending;
  ::waitpid(pid_, &ending.status, 0);
  pid_ = -1;
  ::lseek(said_, 0, SEEK_SET);
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(said_, buffer, sizeof buffer)) > 0;)
    ending.said.append(buffer, static_cast<std::size_t>(n));
  return ending;
}

void Simulation::Peer::tell() const { EXPECT_EQ(::write(write_, ".", 1), 1); }

bool Simulation::Peer::hears(std::chrono::milliseconds patience) const {
  char byte = 0;
  return wait_for(read_, patience) && ::read(read_, &byte, 1) == 1;
}

std::string simulate(const Environment& switches, const std::function<void(const Driver&)>& body) {
  Simulation simulation(switches,
                        [&body](const Driver& driver, Simulation::Peer&) { body(driver); });
  const Ending ending = simulation.end();
  EXPECT_EQ(ending.status, 0) << ending.said;
  return ending.said;
}

abi::CUcontext enter(const Driver& driver, abi::CUdevice device) {
  abi::CUcontext context = nullptr;
  EXPECT_EQ(driver.cuInit(0), abi::CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDevicePrimaryCtxRetain(&context, device), abi::CUDA_SUCCESS);
  EXPECT_EQ(driver.cuCtxSetCurrent(context), abi::CUDA_SUCCESS);
  return context;
}

SharedPath::SharedPath() : folder_(new_folder()) {}

SharedPath::~SharedPath() { std::filesystem::remove_all(folder_); }

}  // namespace warminit::simcuda_test
