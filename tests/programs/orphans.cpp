// test_orphans COUNT [stay|stubborn]: makes COUNT orphans, prints "made COUNT"
// and waits for a signal. An orphan ends at once; with `stay` it waits for a signal; with
// `stubborn` it ignores SIGTERM and waits for ever.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void live(const char* how) {
  if (std::strcmp(how, "stubborn") == 0) std::signal(SIGTERM, SIG_IGN);
  while (std::strcmp(how, "end") != 0) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
  const long most = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  const char* how = argc > 2 ? argv[2] : "end";
  constexpr long kBatch = 100;  // At once: a busy machine makes a turn for each wait slow.
  for (long made = 0; made < most; made += kBatch) {
    const long batch = std::min(kBatch, most - made);
    for (long i = 0; i < batch; ++i) {
      const pid_t child = ::fork();
      if (child < 0) return 2;
      if (child == 0) {
        const pid_t orphan = ::fork();
        if (orphan == 0) live(how);
        ::_exit(orphan < 0 ? 2 : 0);
      }
    }
    for (long i = 0; i < batch; ++i) {
      int status = 0;
      if (::wait(&status) < 0 || status != 0) return 2;
    }
  }
  std::printf("made %ld\n", most);
  std::fflush(stdout);
  ::pause();
  return 0;
}
