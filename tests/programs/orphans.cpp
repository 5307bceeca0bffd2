// test_orphans COUNT [stay|stubborn]: makes COUNT orphans, one after the other, prints "made COUNT"
// and waits for a signal. An orphan ends at once; with `stay` it waits for a signal; with
// `stubborn` it ignores SIGTERM and waits for ever.

#include <sys/wait.h>
#include <unistd.h>

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
  for (long i = 0; i < most; ++i) {
    const pid_t child = ::fork();
    if (child < 0) return 2;
    if (child == 0) {
      const pid_t orphan = ::fork();
      if (orphan == 0) live(how);
      ::_exit(orphan < 0 ? 2 : 0);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) return 2;
  }
  std::printf("made %ld\n", most);
  std::fflush(stdout);
  ::pause();
  return 0;
}
