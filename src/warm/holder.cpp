#include "warminit/warm/holder.h"

#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include "warminit/os/descriptors.h"
#include "warminit/os/fd.h"
#include "warminit/os/spawn.h"
#include "warminit/warm/bring_up.h"
#include "warminit/warm/health.h"
#include "warminit/warm/need.h"
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

  enum class Event { closed, other, time_over };

  /// Waits until init has closed its side, one of `others` is readable, or the time is over. A
  /// descriptor of -1 is none.
  static Event wait(std::array<int, 2> others, milliseconds timeout) {
    std::array<pollfd, 3> fds{
        {{kHolderLink, POLLIN, 0}, {others[0], POLLIN, 0}, {others[1], POLLIN, 0}}};
    int n = 0;
    do {
      n = ::poll(fds.data(), fds.size(), static_cast<int>(timeout.count()));
    } while (n < 0 && errno == EINTR);
    os::check(n, "poll");
    if (n == 0) return Event::time_over;
    // Init never sends anything: what is to be read here is the end.
    return fds[0].revents != 0 ? Event::closed : Event::other;
  }

  /// Whether the end came before `other` and before the time was over.
  static bool closed(int other, milliseconds timeout) {
    return wait({other, -1}, timeout) == Event::closed;
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

/// Fires every `interval`; never for zero. poll's own timeout would not: the holder at rest takes
/// everybody's away (quiet_poll.h).
os::Fd make_clock(milliseconds interval) {
  os::Fd clock(
      os::check(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval);
  const timespec time{
      seconds.count(),
      std::chrono::duration_cast<std::chrono::nanoseconds>(interval - seconds).count()};
  const itimerspec spec{time, time};
  os::check(::timerfd_settime(clock.get(), 0, &spec, nullptr), "timerfd_settime");
  return clock;
}

/// Whether `clock` has fired since it was last asked.
bool has_fired(const os::Fd& clock) {
  std::uint64_t ticks = 0;
  return ::read(clock.get(), &ticks, sizeof ticks) > 0;
}

/// Runs `work`, which calls the driver, in a thread of its own: a driver that hangs must not keep
/// this one. Whether it was done in time; if not, this process can only end without waiting.
bool done_in_time(const std::function<void()>& work, milliseconds timeout) {
  const os::Fd done(os::check(::eventfd(0, EFD_CLOEXEC), "eventfd"));
  std::thread worker([&] {
    work();
    (void)::eventfd_write(done.get(), 1);
  });
  if (!is_readable(done.get(), timeout)) {
    worker.detach();
    return false;
  }
  worker.join();
  return true;
}

/// One check. Returns why this process is of no more use.
std::optional<Diagnosis> check(Health& health, const HolderOptions& options, Link& link) {
  std::optional<Diagnosis> diagnosis;
  if (!done_in_time([&] { diagnosis = health.check(); }, options.init_timeout)) {
    link.report(HolderReport{
        {0,
         "a health check has not ended for " + std::to_string(options.init_timeout.count()) + " ms",
         "the driver hangs: see the host's kernel log (Xid)"},
        false,
        0});
    ::_exit(kHolderTryAgain);  // Without waiting for what hangs.
  }
  return diagnosis;
}

/// Gives everything back and ends, with `code`. Init may not know yet, or be gone itself, so that
/// nobody but us would see a driver hang in it.
[[noreturn]] void end(Held& held, int code) {
  constexpr milliseconds kReleaseTime{5000};  // Longer than init waits before it kills us.
  const auto release = [&held] { held.contexts.clear(); };
  try {
    (void)done_in_time(release, kReleaseTime);
  } catch (const std::system_error&) {
    release();  // No thread to be had.
  }
  ::_exit(code);
}

/// Keeps what is held, and looks at it now and then, until init has gone. Returns why this process
/// is of no more use, if so.
std::optional<Diagnosis> hold(const HolderOptions& options, Held& held, Link& link) {
  const std::vector<std::string> files = open_device_files();
  Health health(held, files, [&link](const Report& report) { link.report(report); });
  Need need(files, options.release_after);
  const bool may_be_unneeded = options.release_after > milliseconds::zero();
  const os::Fd health_clock = make_clock(options.health_interval);
  const os::Fd need_clock = make_clock(may_be_unneeded ? need.interval() : milliseconds::zero());
  for (;;) {
    quiet();
    const auto event = Link::wait({health_clock.get(), need_clock.get()}, kForEver);
    loud();
    if (event == Link::Event::closed) return std::nullopt;
    if (has_fired(need_clock) && need.is_over()) end(held, kHolderUnneeded);
    if (!has_fired(health_clock)) continue;
    try {
      if (auto diagnosis = check(health, options, link)) return diagnosis;
    } catch (const std::exception&) {
      // No thread to be had now: the next check may have one. Init sees that this process lives.
      for (const DeviceReport& device : held.reports) link.report(device);
    }
  }
}

}  // namespace

const std::vector<std::string>& option_variables() {
  static const std::vector<std::string> kBegins{"WARMINIT_", "TINI_", "DUMB_INIT_"};
  return kBegins;
}

std::vector<std::string> holder_arguments(const HolderOptions& options) {
  std::vector<std::string> arguments{
      "warminit-holder",
      "holder",
      "--hold=" + std::string(to_string(options.level)),
      "--driver-library=" + options.driver_library,
      "--init-timeout=" + std::to_string(options.init_timeout.count()) + "ms",
      "--health-interval=" + std::to_string(options.health_interval.count()) + "ms"};
  if (options.release_after > milliseconds::zero())
    arguments.push_back("--release-after=" + std::to_string(options.release_after.count()) + "ms");
  if (options.once) arguments.emplace_back("--once");
  if (options.wait_until)
    arguments.push_back("--wait-until=" + std::to_string(options.wait_until->count()) + "ms");
  if (options.without_mps) arguments.emplace_back("--without-mps");
  if (options.one_by_one) arguments.emplace_back("--one-by-one");
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
      diagnosis =
          bring_up(held, {options.level, options.driver_library, options.skip, options.one_by_one},
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
  if (!options.once) diagnosis = hold(options, held, link);
  if (diagnosis) return act_on(*diagnosis, options, link);
  if (!options.once) end(held, 0);
  held.contexts.clear();  // The hang of a probe is for init to see.
  return 0;
}

}  // namespace warminit::warm
