// test_count_signals: prints "listening", counts the real-time signals that arrive (each of them
// is queued) in silence, and at SIGTERM prints "counted N" and ends with 0.

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
    if (number >= SIGRTMIN) ++counted;
  }
  std::printf("counted %ld\n", counted);
  return 0;
}
