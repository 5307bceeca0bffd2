// test_signals COUNT: prints "listening", then a line for each signal that arrives, by number and,
// where it was queued, value. Ends with exit code 0 after COUNT of them; SIGTERM ends it with 3.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const long most = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  std::puts("listening");
  std::fflush(stdout);
  for (long seen = 0; seen < most; ++seen) {
    siginfo_t info{};
    const int number = sigwaitinfo(&all, &info);
    if (number < 0 && errno == EINTR) {  // Stopped and continued.
      --seen;
      continue;
    }
    if (number < 0) return 2;
    if (info.si_code == SI_QUEUE)
      std::printf("signal %d value %d\n", number, info.si_value.sival_int);
    else
      std::printf("signal %d\n", number);
    std::fflush(stdout);
    if (number == SIGTERM && most > 1) return 3;
  }
  return 0;
}
