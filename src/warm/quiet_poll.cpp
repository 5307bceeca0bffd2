#include "warminit/warm/quiet_poll.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "warminit/os/fd.h"

namespace warminit::warm {
namespace {

using Poll = int(pollfd*, nfds_t, int);

/// glibc's, or a sanitizer's around it.
Poll* next_poll() {
  static Poll* const found = reinterpret_cast<Poll*>(::dlsym(RTLD_NEXT, "poll"));
  return found;
}

/// The descriptor that ends the quiet; -1 while it is loud.
std::atomic<int> wake{-1};

/// The event thread has a dozen descriptors. A poll of more keeps its timeout.
constexpr std::size_t kMostWatched = 256;

int poll_until_woken(pollfd* fds, std::size_t count, int waker) {
  std::array<pollfd, kMostWatched + 1> watched;
  std::copy_n(fds, count, watched.begin());
  watched.at(count) = {waker, POLLIN, 0};
  int ready = next_poll()(watched.data(), static_cast<nfds_t>(count + 1), -1);
  if (ready > 0 && watched.at(count).revents != 0) --ready;
  for (std::size_t i = 0; i < count; ++i) fds[i].revents = watched.at(i).revents;
  return ready;
}

}  // namespace

void quiet() {
  // One for ever: a thread may still wait on it. One that had not yet seen the last loud() stays
  // quiet, which is what is wanted.
  static const int waker = os::check(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  eventfd_t ignored = 0;
  (void)::eventfd_read(waker, &ignored);
  wake.store(waker);
}

void loud() {
  const int waker = wake.exchange(-1);
  if (waker >= 0) (void)::eventfd_write(waker, 1);
}

}  // namespace warminit::warm

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's are reserved names.
extern "C" __attribute__((visibility("default"))) int poll(pollfd* fds, nfds_t count, int timeout) {
  using namespace warminit::warm;
  const int waker = wake.load();
  if (waker >= 0 && timeout > 0 && count <= kMostWatched)
    return poll_until_woken(fds, count, waker);
  return next_poll()(fds, count, timeout);
}
