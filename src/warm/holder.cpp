#include "warminit/warm/holder.h"

#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "warminit/os/descriptors.h"
#include "warminit/os/fd.h"
#include "warminit/os/spawn.h"
#include "warminit/warm/bring_up.h"
#include "warminit/warm/quiet_poll.h"
#include "warminit/warm/surroundings.h"

namespace warminit::warm {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kForEver{-1};
constexpr milliseconds kRetryInterval{1000};
/// From the last device's report to the end of bringing up, with room for a busy machine.
constexpr milliseconds kAlmostDone{20};

milliseconds now() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

bool is_readable(int fd, milliseconds timeout) {
  pollfd waited{fd, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(timeout.count())) == 1;
}

/// The holder's side of the socket to init.
class Link {
 public:
  /// From any thread. Init gone: nobody to tell, and the main thread sees it too.
  void report(const Report& report) {
    const std::string line = to_line(report);
    const std::scoped_lock lock(mutex_);
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t n = ::send(kHolderLink, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (n < 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }

  /// Waits until init has closed its side (true), or until `other` is readable or the time is
  /// over (false).
  static bool closed(int other, milliseconds timeout) {
    std::array<pollfd, 2> fds{{{kHolderLink, POLLIN, 0}, {other, POLLIN, 0}}};
    for (;;) {
      const int n = ::poll(fds.data(), fds.size(), static_cast<int>(timeout.count()));
      if (n < 0 && errno == EINTR) continue;
      os::check(n, "poll");
      if (fds[0].revents == 0) return false;
      std::array<char, 256> ignored{};  // Init says nothing yet; its silence is what counts.
      if (::recv(kHolderLink, ignored.data(), ignored.size(), 0) <= 0) return true;
    }
  }

 private:
  std::mutex mutex_;
};

/// Begins again in a fresh process under the same pid: libcuda keeps no memory of its failure.
[[noreturn]] void start_over(const HolderOptions& options) {
  if (options.without_mps)
    for (const std::string& name : mps_variables()) ::unsetenv(name.c_str());
  std::vector<std::string> arguments = holder_arguments(options);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  // Whatever libcuda has opened without O_CLOEXEC ends here; only the link goes on.
  os::close_on_exec_from(kHolderLink + 1);
  ::execv(os::own_executable().c_str(), argv.data());
  ::_exit(kHolderTryAgain);
}

/// No thread, no memory: not the driver's doing, and perhaps better later.
Diagnosis out_of_resources(const std::exception& error) {
  return {Response::restart,
          {0, std::string("the holder: ") + error.what(),
           "a thread could not be started: raise the limit of processes (pids.max, ulimit -u)"}};
}

/// Reports why there is nothing to hold; tries again by itself where that is the cure.
int act_on(const Diagnosis& diagnosis, HolderOptions options, Link& link) {
  const bool permanent = diagnosis.response == Response::give_up;
  HolderReport report{diagnosis.problem, permanent, 0};
  if (diagnosis.response == Response::retry_without_mps && !options.without_mps) {
    link.report(report);
    options.without_mps = true;
    start_over(options);
  }
  if (diagnosis.response == Response::wait) {
    if (!options.wait_until) options.wait_until = now() + options.init_timeout;
    if (now() + kRetryInterval <= *options.wait_until) {
      report.retry_in_seconds = std::chrono::duration<double>(kRetryInterval).count();
      link.report(report);
      if (Link::closed(-1, kRetryInterval)) return 0;
      start_over(options);
    }
  }
  link.report(report);
  return permanent ? kHolderGivesUp : kHolderTryAgain;
}

}  // namespace

std::vector<std::string> holder_arguments(const HolderOptions& options) {
  std::vector<std::string> arguments{
      "warminit-holder", "holder", "--hold=" + std::string(to_string(options.level)),
      "--driver-library=" + options.driver_library,
      "--init-timeout=" + std::to_string(options.init_timeout.count()) + "ms"};
  if (options.wait_until)
    arguments.push_back("--wait-until=" + std::to_string(options.wait_until->count()) + "ms");
  if (options.without_mps) arguments.emplace_back("--without-mps");
  for (const int ordinal : options.skip) arguments.push_back("--skip=" + std::to_string(ordinal));
  return arguments;
}

int run_holder(const HolderOptions& options) {
  (void)::prctl(PR_SET_NAME, "warminit-holder");  // As ps shows it; nvidia-smi shows argv[0].
  Link link;
  Held held;
  std::optional<Diagnosis> diagnosis;
  const os::Fd done(os::check(::eventfd(0, EFD_CLOEXEC), "eventfd"));
  // The driver works in a thread of its own: this one must see init's end even while it hangs.
  const auto work = [&] {
    try {
      diagnosis = bring_up(held, {options.level, options.driver_library, options.skip},
                           [&link](const Report& report) { link.report(report); });
    } catch (const std::exception& e) {
      diagnosis = out_of_resources(e);
    }
    (void)::eventfd_write(done.get(), 1);
  };
  std::thread worker;
  try {
    worker = std::thread(work);
  } catch (const std::system_error& e) {
    return act_on(out_of_resources(e), options, link);
  }
  // Told to end meanwhile: what is as good as done is released in order, and of what is not, or
  // hangs, the kernel takes back what the driver has.
  if (Link::closed(done.get(), kForEver) && !is_readable(done.get(), kAlmostDone)) ::_exit(0);
  worker.join();
  if (diagnosis) return act_on(*diagnosis, options, link);
  ::malloc_trim(0);  // What bringing up took and gave back goes to the system now, not never.
  quiet();
  (void)Link::closed(-1, kForEver);
  loud();
  held.contexts.clear();
  return 0;
}

}  // namespace warminit::warm
