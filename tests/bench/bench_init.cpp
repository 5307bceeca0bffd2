// bench_init ROUNDS NAME=COMMAND…: measures inits side by side, each as PID 1 of a PID namespace of
// its own, in turn. COMMAND is split at spaces; empty: the measured program is PID 1 itself. Prints
// one JSON line per measurement. Needs root. The program measured is this one, in the role that its
// first argument names, so that its own start costs as little as possible: it is linked statically.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int kReport = 9;  // The command's descriptor for what it has to tell.
constexpr int kSignals = 200;
constexpr int kBurst = 1000;
constexpr int kStream = 1000;
constexpr int kRestSeconds = 5;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void tell(double value) {
  if (write(kReport, &value, sizeof value) != sizeof value) _exit(3);
}

// ---- The roles of the command ----

[[noreturn]] void be_signalled() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  tell(0);  // Ready.
  for (int i = 0; i < kSignals; ++i) {
    sigwaitinfo(&set, nullptr);
    tell(now());
  }
  _exit(0);
}

/// An orphan that lives until `gate` comes to its end; returns its pid.
pid_t make_orphan(int gate, int gate_writer) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) _exit(4);
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t orphan = fork();
    if (orphan == 0) {
      close(gate_writer);
      close(ends[1]);
      char byte = 0;
      _exit(read(gate, &byte, 1) == 0 ? 0 : 5);
    }
    if (write(ends[1], &orphan, sizeof orphan) != sizeof orphan) _exit(5);
    _exit(0);
  }
  pid_t orphan = 0;
  if (parent < 0 || read(ends[0], &orphan, sizeof orphan) != sizeof orphan) _exit(4);
  waitpid(parent, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return orphan;
}

/// Waits until nobody has `pid` any more, also not as a zombie.
void wait_until_gone(pid_t pid) {
  while (kill(pid, 0) == 0 || errno != ESRCH) sched_yield();
}

/// Seconds from the moment when kBurst orphans may end until all are reaped.
[[noreturn]] void burst() {
  std::array<int, 2> gate{};
  if (pipe(gate.data()) != 0) _exit(4);
  std::vector<pid_t> orphans;
  orphans.reserve(kBurst);
  for (int i = 0; i < kBurst; ++i) orphans.push_back(make_orphan(gate[0], gate[1]));
  const double begin = now();
  close(gate[1]);
  for (const pid_t pid : orphans) wait_until_gone(pid);
  tell(now() - begin);
  _exit(0);
}

/// Seconds for kStream orphans that end at once, one after the other, until all are reaped.
[[noreturn]] void stream() {
  const double begin = now();
  pid_t last = 0;
  for (int i = 0; i < kStream; ++i) {
    const pid_t parent = fork();
    if (parent == 0) {
      if (fork() == 0) _exit(0);
      _exit(0);
    }
    waitpid(parent, nullptr, 0);
    last = parent + 1;  // In a PID namespace of our own pids are given in order.
  }
  wait_until_gone(last);
  tell(now() - begin);
  _exit(0);
}

[[noreturn]] void rest() {
  tell(0);
  for (;;) pause();
}

// ---- The measuring side ----

struct Run {
  pid_t pid = -1;  ///< Of PID 1, seen from here.
  int report = -1;
  double begin = 0;

  double next() const {
    double value = -1;
    if (read(report, &value, sizeof value) != sizeof value) {
      std::fprintf(stderr, "bench_init: the measured program has told nothing\n");
      std::exit(1);
    }
    return value;
  }
  void end() const {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(report);
  }
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

Run start(const std::string& init, const char* role) {
  std::vector<std::string> arguments = words(init);
  arguments.emplace_back("/proc/self/exe");
  std::array<char, 4096> self{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) std::exit(1);
  arguments.back() = self.data();
  arguments.emplace_back(role);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) std::exit(1);
  // The moment before exec: what making the namespace costs is nobody's doing.
  std::array<int, 2> begin{};
  if (pipe2(begin.data(), O_CLOEXEC) != 0) std::exit(1);
  Run run;
  run.report = ends[0];
  run.pid = static_cast<pid_t>(
      syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (run.pid == 0) {
    setsid();
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    mount("proc", "/proc", "proc", 0, nullptr);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
    dup2(ends[1], kReport);
    const double moment = now();
    if (write(begin[1], &moment, sizeof moment) != sizeof moment) _exit(5);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  if (run.pid < 0 || read(begin[0], &run.begin, sizeof run.begin) != sizeof run.begin) {
    std::fprintf(stderr, "bench_init: cannot make a PID namespace: %s\n", std::strerror(errno));
    std::exit(1);
  }
  close(begin[0]);
  close(begin[1]);
  return run;
}

/// The number after `key` in a file of /proc/PID.
long number_in(pid_t pid, const char* file, const char* key) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  long number = -1;
  if (std::FILE* opened = std::fopen(path.c_str(), "re")) {
    std::array<char, 256> line{};
    while (std::fgets(line.data(), line.size(), opened) != nullptr)
      if (std::strncmp(line.data(), key, std::strlen(key)) == 0)
        number = std::strtol(line.data() + std::strlen(key), nullptr, 10);
    std::fclose(opened);
  }
  return number;
}

void print(const std::string& name, const char* what, double value) {
  std::printf("{\"init\": \"%s\", \"what\": \"%s\", \"value\": %.9g}\n", name.c_str(), what, value);
  std::fflush(stdout);
}

void measure_start(const std::string& name, const std::string& init) {
  const Run run = start(init, "start");
  print(name, "start_seconds", run.next() - run.begin);
  run.end();
}

void measure_signals(const std::string& name, const std::string& init) {
  const Run run = start(init, "signals");
  run.next();
  for (int i = 0; i < kSignals; ++i) {
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
    const double sent = now();
    kill(run.pid, SIGUSR1);
    print(name, "signal_seconds", run.next() - sent);
  }
  run.end();
}

void measure_reaping(const std::string& name, const std::string& init) {
  for (const char* what : {"burst", "stream"}) {
    const Run run = start(init, what);
    const double seconds = run.next();
    print(name, (std::string(what) + "_per_second").c_str(),
          (std::strcmp(what, "burst") == 0 ? kBurst : kStream) / seconds);
    run.end();
  }
}

void measure_rest(const std::string& name, const std::string& init) {
  const Run run = start(init, "rest");
  run.next();
  const timespec settle{1, 0};
  nanosleep(&settle, nullptr);
  const auto wake_ups = [&] {
    return number_in(run.pid, "status", "voluntary_ctxt_switches:") +
           number_in(run.pid, "status", "nonvoluntary_ctxt_switches:");
  };
  const long before = wake_ups();
  const timespec watched{kRestSeconds, 0};
  nanosleep(&watched, nullptr);
  print(name, "wake_ups_per_minute", static_cast<double>(wake_ups() - before) * 60 / kRestSeconds);
  print(name, "rss_kb", static_cast<double>(number_in(run.pid, "status", "VmRSS:")));
  print(name, "private_dirty_kb",
        static_cast<double>(number_in(run.pid, "smaps_rollup", "Private_Dirty:")));
  run.end();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "start") {
    tell(now());
    return 0;
  }
  if (role == "signals") be_signalled();
  if (role == "burst") burst();
  if (role == "stream") stream();
  if (role == "rest") rest();
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_init ROUNDS NAME=COMMAND...\n");
    return 2;
  }
  const long rounds = std::strtol(argv[1], nullptr, 10);
  const auto name_of = [](const std::string& text) { return text.substr(0, text.find('=')); };
  const auto init_of = [](const std::string& text) { return text.substr(text.find('=') + 1); };
  for (long round = 0; round < rounds; ++round) {
    // In turns: whatever else the machine does meanwhile meets all of them.
    for (int repeat = 0; repeat < 20; ++repeat)
      for (int i = 2; i < argc; ++i) measure_start(name_of(argv[i]), init_of(argv[i]));
    for (int i = 2; i < argc; ++i) {
      const std::string name = name_of(argv[i]);
      const std::string init = init_of(argv[i]);
      if (init.empty()) continue;
      measure_signals(name, init);
      measure_reaping(name, init);
      if (round == 0) measure_rest(name, init);
    }
  }
  return 0;
}
