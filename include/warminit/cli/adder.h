#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "warminit/cli/cli11.h"

namespace warminit::cli {

/// Adds options to `app` that all look and complain alike, each with its variable: --init-timeout
/// is WARMINIT_INIT_TIMEOUT. A name may have a short form before it: "-e,--success-code".
///
/// Errors: a bad value throws CLI::ValidationError, which names the option and the variable.
class Adder {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit Adder(CLI::App& app) : app_(app) {}

  void duration(const std::string& name, Milliseconds& target, const std::string& help);
  void duration(const std::string& name, std::optional<Milliseconds>& target,
                const std::string& help);

  /// A duration that may be left out, or be a word for no: then `target` gets `otherwise`, nothing.
  void optional_duration(const std::string& name, std::optional<Milliseconds>& target,
                         Milliseconds otherwise, const std::string& help);

  template <typename Value>
  void choice(const std::string& name, Value& target, std::map<std::string, Value> values,
              const std::string& help) {
    std::string words;
    for (const auto& [word, value] : values) words += (words.empty() ? "" : "|") + word;
    text(name, words, help, [this, name, &target, values, words](const std::string& word) {
      const auto it = values.find(word);
      if (it == values.end()) refuse(name, "'" + word + "' is none of " + words);
      target = it->second;
    });
  }

  void number(const std::string& name, int& target, const std::string& help);

  /// `take` gets the last value given.
  void text(const std::string& name, const std::string& type, const std::string& help,
            const std::function<void(const std::string&)>& take);

  /// `take` gets every value given, also several in one, with commas between.
  void list(const std::string& name, const std::string& type, const std::string& help,
            std::function<void(const std::string&)> take);

  void flag(const std::string& name, bool& target, const std::string& help);

  /// Reads the variables of flags that were not given; to be called after the command line was
  /// read. (CLI11's own way does not say which variable has the bad value.)
  void read_flag_variables() const;

  /// Throws the complaint about the value of `name`.
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  [[nodiscard]] Milliseconds to_duration(const std::string& name, const std::string& value) const;

  struct Flag {
    std::string name;
    bool* target;
  };

  CLI::App& app_;
  std::vector<Flag> flags_;
};

}  // namespace warminit::cli
