#include "warminit/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "warminit/cli/duration.h"

namespace warminit::cli {
namespace {

using std::chrono::milliseconds;

/// "--grace" → "WARMINIT_GRACE".
std::string variable_of(const std::string& option) {
  std::string name = "WARMINIT_" + option.substr(2);
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

/// Where a bad value came from, for the message: the option, or the variable if that is set.
std::string origin(const CLI::App& app, const std::string& option) {
  const std::string variable = variable_of(option);
  const bool given = app.count(option) > 0 && std::getenv(variable.c_str()) == nullptr;
  return given ? option : option + " (" + variable + ")";
}

/// Adds options that all look and complain alike, each with its variable.
class Adder {
 public:
  explicit Adder(CLI::App& app) : app_(app) {}

  CLI::Option* duration(const std::string& name, milliseconds& target, const std::string& help) {
    return text(name, "DURATION", help, [this, name, &target](const std::string& value) {
      target = duration_or_throw(name, value);
    });
  }

  /// An option whose value may be left out: then `otherwise` counts.
  CLI::Option* optional_duration(const std::string& name, std::optional<milliseconds>& target,
                                 std::optional<milliseconds> otherwise, const std::string& help) {
    auto* option = app_.add_option_function<std::vector<std::string>>(
        name,
        [this, name, &target, otherwise](const std::vector<std::string>& values) {
          const bool bare = values.empty() || values[0].empty() || values[0] == "true";
          target = bare ? otherwise : duration_or_throw(name, values[0]);
        },
        help);
    return option->expected(0, 1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("[=DURATION]")
        ->envname(variable_of(name));
  }

  template <typename Value>
  CLI::Option* choice(const std::string& name, Value& target, std::map<std::string, Value> values,
                      const std::string& help) {
    std::string words;
    for (const auto& [word, value] : values) words += (words.empty() ? "" : "|") + word;
    return text(name, words, help, [this, name, &target, values, words](const std::string& word) {
      const auto it = values.find(word);
      if (it == values.end())
        throw CLI::ValidationError(origin(app_, name), "'" + word + "' is none of " + words);
      target = it->second;
    });
  }

  CLI::Option* number(const std::string& name, int& target, const std::string& help) {
    return text(name, "N", help, [this, name, &target](const std::string& value) {
      const bool digits = !value.empty() && value.size() < 8 &&
                          std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
      if (!digits)
        throw CLI::ValidationError(origin(app_, name), "'" + value + "' is not a number from 0 on");
      target = std::stoi(value);
    });
  }

  CLI::Option* text(const std::string& name, const std::string& type, const std::string& help,
                    const std::function<void(const std::string&)>& take) {
    return app_.add_option_function<std::string>(name, take, help)
        ->type_name(type)
        ->take_last()
        ->envname(variable_of(name));
  }

 private:
  milliseconds duration_or_throw(const std::string& name, const std::string& value) const {
    if (const auto duration = parse_duration(value)) return *duration;
    throw CLI::ValidationError(
        origin(app_, name),
        "'" + value + "' is not a duration; write a number with a unit: 500ms, 30s, 2m");
  }

  CLI::App& app_;
};

constexpr const char* kFooter = R"(
Every option has a variable: --init-timeout is WARMINIT_INIT_TIMEOUT.

Exit codes: COMMAND's own; 128+n if signal n ended it; 126 COMMAND cannot be executed;
127 COMMAND not found; 125 warminit could not start, or the GPUs that --require asks for
are not there.)";

void add_warm_options(Adder& add, Options& options) {
  using warm::HoldLevel;
  using warm::Requirement;
  add.choice<HoldLevel>(
      "--hold", options.holder.level,
      {{"context", HoldLevel::context}, {"device", HoldLevel::device}, {"off", HoldLevel::off}},
      "What is kept: primary contexts, only the initialised driver, nothing "
      "[context]");
  add.choice<Requirement>(
      "--require", options.requirement,
      {{"none", Requirement::none}, {"any", Requirement::any}, {"all", Requirement::all}},
      "Hold COMMAND back until that many GPUs are ready; exit 125 if they do not get so [none]");
  add.duration("--init-timeout", options.holder.init_timeout,
               "How long the driver may be silent before the holder is ended [30s]");
  add.text("--driver-library", "FILE", "The CUDA driver to load [libcuda.so.1]",
           [&options](const std::string& file) { options.holder.driver_library = file; });
  add.duration("--restart-delay", options.restart.delay,
               "Before a holder that died is started again; doubles each time [1s]");
  add.duration("--restart-delay-max", options.restart.delay_max, "Where the doubling ends [60s]");
  add.number("--restart-limit", options.restart.limit, "Restarts in a row before giving up [10]");
}

void add_log_options(Adder& add, Options& options) {
  std::map<std::string, std::string> levels;
  for (const char* level : {"debug", "info", "warn", "error", "off"}) levels[level] = level;
  add.choice<std::string>("--log-level", options.log_level, levels, "What is logged [info]");
  add.choice<LogFormat>("--log-format", options.log_format,
                        {{"text", LogFormat::text}, {"json", LogFormat::json}},
                        "How it is logged, on stderr [text]");
}

void add_hidden_holder(CLI::App& app, Options& options) {
  CLI::App* holder = app.add_subcommand("holder", "Hold the GPUs for the init that started this");
  holder->group("")->fallthrough();
  holder->add_option_function<std::string>("--wait-until", [&options](const std::string& text) {
    options.holder.wait_until = parse_duration(text);
  });
  holder->add_flag("--without-mps", options.holder.without_mps);
  holder->callback([&options] { options.verb = Verb::holder; });
}

/// What only the options together can show.
void check_together(const Options& options, bool has_dashes, bool waits) {
  if (options.verb == Verb::run && options.command.empty())
    throw CLI::ValidationError("COMMAND", has_dashes
                                              ? "nothing after --; name the program to run"
                                              : "missing; write warminit [options] -- COMMAND");
  if (options.verb != Verb::run && has_dashes)
    throw CLI::ValidationError("COMMAND", "this verb runs none; leave out -- and what follows");
  if (options.requirement != warm::Requirement::none &&
      options.holder.level == warm::HoldLevel::off)
    throw CLI::ValidationError("--require", "needs a holder; use --hold context or device");
  if (waits && options.holder.level == warm::HoldLevel::off)
    throw CLI::ValidationError("--wait-ready", "needs a holder; use --hold context or device");
  if (options.holder.init_timeout <= milliseconds::zero())
    throw CLI::ValidationError("--init-timeout", "must be longer than nothing; 30s is usual");
}

/// What is left over, for the usual mistake: a command without -- before it.
std::string explain_extras(const CLI::App& app, const CLI::ExtrasError& error) {
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (extras.empty() || extras.front().starts_with('-')) return error.what();
  std::string command;
  for (const std::string& word : extras) command += " " + word;
  return "'" + command.substr(1) + "' is no verb; to run it, write warminit [options] --" + command;
}

}  // namespace

std::variant<Options, Answer> parse(const std::vector<std::string>& argv) {
  // CLI11 must not see COMMAND: it splits an argument such as `[1,2]` in two.
  const auto dashes = std::find(argv.begin() + 1, argv.end(), "--");
  std::vector<std::string> ours(argv.begin() + 1, dashes);
  std::ranges::reverse(ours);  // CLI11 takes a vector from its end.

  Options options;
  options.holder.driver_library = "libcuda.so.1";
  if (dashes != argv.end()) options.command.assign(dashes + 1, argv.end());

  CLI::App app("A container init that keeps the GPUs warm.", "warminit");
  app.footer(kFooter)->get_formatter()->column_width(34);
  app.set_version_flag("--version", "warminit " WARMINIT_VERSION);
  Adder add(app);
  app.add_flag("-g,--signal-group", options.signal_group,
               "Forward signals to COMMAND's whole process group")
      ->envname("WARMINIT_SIGNAL_GROUP");
  add_warm_options(add, options);
  std::optional<milliseconds> wait_ready;
  const milliseconds unset{-1};
  add.optional_duration(
      "--wait-ready", wait_ready, unset,
      "Hold COMMAND back until the GPUs are ready, at most so long [--init-timeout]");
  add.duration("--grace", options.grace,
               "Between SIGTERM and SIGKILL for what is left when COMMAND has ended [5s]");
  add_log_options(add, options);
  app.add_subcommand("hold", "No command: hold the GPUs until SIGTERM or SIGINT")
      ->fallthrough()
      ->callback([&options] { options.verb = Verb::hold; });
  CLI::App* devices = app.add_subcommand("devices", "Show the GPUs that the driver shows here");
  devices->add_flag("--json", options.json, "As JSON");
  devices->fallthrough()->callback([&options] { options.verb = Verb::devices; });
  add_hidden_holder(app, options);
  app.require_subcommand(0, 1);

  try {
    app.parse(ours);
    check_together(options, dashes != argv.end(), wait_ready.has_value());
  } catch (const CLI::CallForHelp&) {
    return Answer{app.help(), 0};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", 0};
  } catch (const CLI::ExtrasError& error) {
    return Answer{"warminit: " + explain_extras(app, error) + " (see warminit --help)\n", 125};
  } catch (const CLI::ParseError& error) {
    return Answer{std::string("warminit: ") + error.what() + " (see warminit --help)\n", 125};
  }
  if (wait_ready)
    options.wait_ready = *wait_ready == unset ? options.holder.init_timeout : *wait_ready;
  if (options.requirement != warm::Requirement::none && !options.wait_ready)
    options.wait_ready = options.holder.init_timeout;
  return options;
}

}  // namespace warminit::cli
