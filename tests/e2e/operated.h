#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/temporary_folder.h"

namespace warminit::test {

/// What a client verb has answered.
struct Answered {
  std::optional<int> code;
  std::string out;
  std::string err;
};

/// Asks the init behind `socket`.
inline Answered ask(const std::string& socket, const std::vector<std::string>& words) {
  std::vector<std::string> options{"--socket=" + socket};
  options.insert(options.end(), words.begin(), words.end());
  Process client({.argv = warminit(options, {})});
  const auto code = client.wait();
  return {code, client.out(), client.err()};
}

/// Waits until somebody answers at `socket`.
inline void wait_for_socket(const std::string& socket) {
  const auto deadline = std::chrono::steady_clock::now() + Process::kPatience;
  while (ask(socket, {"status", "--live"}).code != 0)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "nobody answers at " << socket;
}

/// A folder with a place for a socket.
struct Place {
  TemporaryFolder folder;
  std::string socket = folder.path() + "/socket";
  std::string file = folder.path() + "/file";
};

/// warminit with the simulated driver, a socket of its own and a command that waits for signals.
struct Operated {
  explicit Operated(std::vector<std::string> options = {},
                    std::map<std::string, std::string> switches = {},
                    Process::Place where = Process::Place::here)
      : process({.argv = warminit(with_socket(std::move(options)), {program("signals"), "1000"}),
                 .environment = simulated(std::move(switches)),
                 .place = where}) {}

  [[nodiscard]] Answered ask(const std::vector<std::string>& words) const {
    return test::ask(place.socket, words);
  }
  /// `status --json`, which must be answered.
  [[nodiscard]] nlohmann::json status(const std::string& more = "--json") const {
    const Answered answered = ask({"status", "--json", more});
    EXPECT_NE(answered.code, 2) << answered.err;
    const auto json = nlohmann::json::parse(answered.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << answered.out;
    return json;
  }
  /// Asks until a status is as `wanted`; a failure when the time is over.
  nlohmann::json status_until(const std::function<bool(const nlohmann::json&)>& wanted) const {
    const auto deadline = std::chrono::steady_clock::now() + 2 * Process::kPatience;
    for (;;) {
      nlohmann::json json = status();
      if (!json.is_object() || wanted(json)) return json;
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << "does not come; instead " << json;
        return json;
      }
    }
  }
  /// Waits until init answers.
  void wait_for_socket() const { test::wait_for_socket(place.socket); }
  [[nodiscard]] std::optional<pid_t> holder() const {
    return process.child_named("warminit-holder");
  }
  /// The command still gets signals and ends with its own code, and the socket goes with init.
  void expect_command_untouched() {
    ASSERT_TRUE(process.wait_for("listening")) << process.err();
    process.signal(SIGUSR1);
    EXPECT_TRUE(process.wait_for("signal " + std::to_string(SIGUSR1) + "\n"));
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_EQ(count(process.out(), "signal "), 2) << process.out();
    EXPECT_FALSE(exists(place.socket));
  }

  static bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

  Place place;
  Process process;

 private:
  [[nodiscard]] std::vector<std::string> with_socket(std::vector<std::string> options) const {
    options.push_back("--socket=" + place.socket);
    return options;
  }
};

}  // namespace warminit::test
