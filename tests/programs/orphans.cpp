// test_orphans COUNT [stay|stubborn]: makes COUNT orphans, prints "made COUNT" and waits for a
// signal. An orphan has ended already; with `stay` it waits for a signal; with `stubborn` it
// ignores SIGTERM and waits for ever.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

alignas(64) char child_stack[65536];
alignas(64) char orphan_stack[65536];

int end(void* /*unused*/) { return 0; }

/// In the child: leaves an ended child of its own behind, which becomes the reaper's.
int leave_zombie(void* /*unused*/) {
  return ::clone(end, orphan_stack + sizeof orphan_stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
                 nullptr) < 0
             ? 2
             : 0;
}

/// As vfork, without copying page tables: that is what makes a hundred thousand of them quick.
pid_t make_ended() {
  return ::clone(leave_zombie, child_stack + sizeof child_stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
                 nullptr);
}

pid_t make_living(bool stubborn) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const pid_t orphan = ::fork();
  if (orphan == 0) {
    if (stubborn) std::signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
  }
  ::_exit(orphan < 0 ? 2 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const long most = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  for (long i = 0; i < most; ++i) {
    const pid_t child =
        argc > 2 ? make_living(std::strcmp(argv[2], "stubborn") == 0) : make_ended();
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) return 2;
  }
  std::printf("made %ld\n", most);
  std::fflush(stdout);
  for (;;) ::pause();
}
