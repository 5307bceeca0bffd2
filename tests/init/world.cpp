#include "init/world.h"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "os/child.h"
#include "warminit/os/process_tree.h"

namespace warminit::test {

World::World() : inherited_(os::block_all_signals()) {
  spdlog::set_level(spdlog::level::off);
  os::check(::prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
  loop.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) {
    while (const auto signal = signals_.next()) {
      if (signal->number != SIGCHLD) continue;
      reaper.reap();
      on_reaped();
    }
  });
}

World::~World() {
  const auto pids = os::descendants(::getpid());
  for (const pid_t pid : pids.value()) ::kill(pid, SIGKILL);
}

pid_t World::child(const std::function<void()>& body) const {
  return fork_child([&] {
    os::restore_signals(inherited_);
    body();
  });
}

pid_t World::watched_child(const std::function<void()>& body) {
  const pid_t pid = child(body);
  reaper.expect(pid, [this](int ended) {
    status = ended;
    loop.stop();
  });
  return pid;
}

void wait_for_signal() {
  for (;;) ::pause();
}

}  // namespace warminit::test
