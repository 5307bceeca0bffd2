#include "warminit/os/signals.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "os/child.h"

namespace warminit::os {
namespace {

using test::in_child;

/// The signals that are blocked in this thread now.
sigset_t blocked_now() {
  sigset_t mask;
  check(::sigprocmask(SIG_SETMASK, nullptr, &mask), "sigprocmask");
  return mask;
}

TEST(BlockAllSignals, BlocksThemAndReturnsTheMaskBefore) {
  in_child([] {
    sigset_t before;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);

    const SignalState state = block_all_signals();
    EXPECT_EQ(sigismember(&state.mask, SIGUSR2), 1);
    EXPECT_EQ(sigismember(&state.mask, SIGTERM), 0);
    const sigset_t now = blocked_now();
    for (const int number : {SIGTERM, SIGINT, SIGCHLD, SIGPIPE, SIGSEGV, SIGRTMIN, SIGRTMAX})
      EXPECT_EQ(sigismember(&now, number), 1) << number;
  });
}

TEST(BlockAllSignals, TurnsAnIgnoredSigchldToItsDefault) {
  in_child([] {
    ::signal(SIGCHLD, SIG_IGN);
    const SignalState state = block_all_signals();
    EXPECT_TRUE(state.child_ignored);
    const pid_t pid = test::fork_child([] {});
    EXPECT_EQ(test::end_of(pid), 0);  // Waiting for it would fail under SIG_IGN.
  });
}

TEST(BlockAllSignals, NotesThatSigchldWasNotIgnored) {
  in_child([] { EXPECT_FALSE(block_all_signals().child_ignored); });
}

TEST(RestoreSignals, PutsMaskAndDispositionBack) {
  for (const bool ignored : {false, true})
    in_child([ignored] {
      if (ignored) ::signal(SIGCHLD, SIG_IGN);
      sigset_t before;
      sigemptyset(&before);
      sigaddset(&before, SIGHUP);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      restore_signals(block_all_signals());

      const sigset_t now = blocked_now();
      EXPECT_EQ(sigismember(&now, SIGHUP), 1);
      EXPECT_EQ(sigismember(&now, SIGTERM), 0);
      struct sigaction action {};
      ::sigaction(SIGCHLD, nullptr, &action);
      EXPECT_EQ(action.sa_handler == SIG_IGN, ignored);
    });
}

TEST(SignalFd, HasNothingWithoutASignal) {
  in_child([] {
    block_all_signals();
    SignalFd signals;
    EXPECT_FALSE(signals.next());
  });
}

TEST(SignalFd, KeepsWhatCameBeforeIt) {
  in_child([] {
    block_all_signals();
    ::raise(SIGTERM);
    SignalFd signals;
    EXPECT_TRUE(test::becomes_readable(signals.get()));
    const auto signal = signals.next();
    ASSERT_TRUE(signal);
    EXPECT_EQ(signal->number, SIGTERM);
    EXPECT_FALSE(signals.next());
  });
}

TEST(SignalFd, TellsWhoSentIt) {
  in_child([] {
    block_all_signals();
    SignalFd signals;
    const pid_t parent = ::getpid();
    const pid_t sender = test::fork_child([parent] { ::kill(parent, SIGUSR1); });
    test::wait_until_dead(sender);
    std::vector<Signal> seen;
    while (const auto signal = signals.next()) seen.push_back(*signal);
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].number, SIGUSR1);
    EXPECT_EQ(seen[0].sender, sender);
    EXPECT_FALSE(seen[0].queued);
    EXPECT_EQ(seen[1].number, SIGCHLD);
    EXPECT_FALSE(seen[1].queued);
    EXPECT_EQ(test::end_of(sender), 0);
  });
}

TEST(SignalFd, GivesEachQueuedSignalWithItsValueInTheOrderSent) {
  in_child([] {
    block_all_signals();
    SignalFd signals;
    for (const int value : {7, -8, 9}) {
      sigval payload{};
      payload.sival_int = value;
      check(::sigqueue(::getpid(), SIGRTMIN + 1, payload), "sigqueue");
    }
    for (const int value : {7, -8, 9}) {
      const auto signal = signals.next();
      ASSERT_TRUE(signal);
      EXPECT_EQ(signal->number, SIGRTMIN + 1);
      EXPECT_TRUE(signal->queued);
      EXPECT_EQ(signal->value.sival_int, value);
      EXPECT_EQ(signal->sender, ::getpid());
    }
    EXPECT_FALSE(signals.next());
  });
}

TEST(SignalFd, GivesAPointerWhole) {
  in_child([] {
    block_all_signals();
    SignalFd signals;
    sigval payload{};
    payload.sival_ptr = &signals;
    check(::sigqueue(::getpid(), SIGUSR1, payload), "sigqueue");
    const auto signal = signals.next();
    ASSERT_TRUE(signal);
    EXPECT_EQ(signal->value.sival_ptr, &signals);
  });
}

TEST(SignalFd, IsNotInheritedByPrograms) {
  in_child([] { EXPECT_EQ(::fcntl(SignalFd().get(), F_GETFD), FD_CLOEXEC); });
}

TEST(SignalName, IsTheWordThatKillTakes) {
  struct Case {
    int number;
    const char* name;
  };
  const Case cases[] = {
      {SIGTERM, "SIGTERM"},        {SIGHUP, "SIGHUP"},
      {SIGCHLD, "SIGCHLD"},        {SIGSYS, "SIGSYS"},
      {SIGRTMIN, "SIGRTMIN"},      {SIGRTMIN + 3, "SIGRTMIN+3"},
      {SIGRTMAX, "SIGRTMIN+30"},   {0, "signal 0"},
      {32, "signal 32"},  // Kept by glibc for itself.
      {SIGRTMAX + 1, "signal 65"}, {99, "signal 99"},
      {-1, "signal -1"},
  };
  for (const auto& [number, name] : cases) EXPECT_EQ(signal_name(number), name);
}

TEST(ParseSignal, TakesNamesAndNumbers) {
  EXPECT_EQ(parse_signal("SIGTERM"), SIGTERM);
  EXPECT_EQ(parse_signal("TERM"), SIGTERM);
  EXPECT_EQ(parse_signal("15"), SIGTERM);
  EXPECT_EQ(parse_signal("SIGRTMIN"), SIGRTMIN);
  EXPECT_EQ(parse_signal("RTMIN+3"), SIGRTMIN + 3);
  EXPECT_EQ(parse_signal("SIGRTMAX-1"), SIGRTMAX - 1);
  EXPECT_EQ(parse_signal("64"), 64);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number >= 32 && number < SIGRTMIN) continue;  // glibc's own.
    EXPECT_EQ(parse_signal(signal_name(number)), number) << signal_name(number);
  }
}

TEST(ParseSignal, RefusesAnythingElse) {
  for (const char* text : {"", "SIG", "NOPE", "0", "-1", "65", "15x", " 15", "sigterm ", "RTMIN-1",
                           "RTMIN+99", "RTMAX+1", "RTMAX-", "SIGSIGTERM"})
    EXPECT_FALSE(parse_signal(text)) << text;
}

}  // namespace
}  // namespace warminit::os
