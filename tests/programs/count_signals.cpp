// test_count_signals: prints "listening", counts every signal that arrives in silence, and at
// SIGTERM prints "counted N" and ends with 0.

#include <csignal>
#include <cstdio>

int main() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  std::puts("listening");
  std::fflush(stdout);
  long counted = 0;
  for (;;) {
    const int number = sigwaitinfo(&all, nullptr);
    if (number == SIGTERM) break;
    if (number > 0 && number != SIGCHLD) ++counted;
  }
  std::printf("counted %ld\n", counted);
  return 0;
}
