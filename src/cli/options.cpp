#include "warminit/cli/options.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "warminit/cli/adder.h"
#include "warminit/cli/duration.h"
#include "warminit/cli/init_options.h"
#include "warminit/cli/paths.h"

namespace warminit::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* kFooter = R"(
Every option of the entrypoint has a variable: --init-timeout is WARMINIT_INIT_TIMEOUT.

Exit codes: COMMAND's own; 128+n if signal n ended it; 126 COMMAND cannot be executed;
127 COMMAND not found; 125 warminit could not start, or the GPUs that --require asks for
are not there.

Started by the name of tini, docker-init, dumb-init or catatonit (a link), it takes their
command lines and behaves as they do.)";

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
  add.duration("--health-interval", options.holder.health_interval,
               "Between two looks at what is held; 0s: none [60s]");
  add.duration(
      "--release-after", options.holder.release_after,
      "Give the GPUs back when no other process has used them for so long; 0s: never [0s]");
  add.text("--driver-library", "FILE", "The CUDA driver to load [libcuda.so.1]",
           [&add, &options](const std::string& file) {
             if (file.empty()) add.refuse("--driver-library", "'' names no file");
             options.holder.driver_library = absolute_or_name(file);
           });
  add.text("--jit-cache", "DIR",
           "Keep the kernels that the driver compiles in DIR, for COMMAND and the holder",
           [&add, &options](const std::string& folder) {
             if (folder.empty()) add.refuse("--jit-cache", "'' is no folder");
             options.jit_cache = absolute(folder);
           });
  add.duration("--restart-delay", options.restart.delay,
               "Before a holder that died is started again; doubles each time [1s]");
  add.duration("--restart-delay-max", options.restart.delay_max, "Where the doubling ends [60s]");
  add.number("--restart-limit", options.restart.limit, "Restarts in a row before giving up [10]");
}

void add_metrics_option(Adder& add, Options& options) {
  add.text("--metrics", "[ADDRESS:]PORT",
           "Serve /metrics, /livez and /readyz there; without ADDRESS on the loopback [nowhere]",
           [&add, &options](const std::string& text) {
             options.metrics = exporter::parse_address(text);
             if (!options.metrics)
               add.refuse("--metrics", "'" + text +
                                           "' is no address and port; write 9400, "
                                           "127.0.0.1:9400, 0.0.0.0:9400 or [::]:9400");
           });
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
  holder->add_flag("--once", options.holder.once);
  holder->add_flag("--without-mps", options.holder.without_mps);
  holder->add_flag("--one-by-one", options.holder.one_by_one);
  holder->add_option_function<std::vector<int>>("--skip", [&options](const std::vector<int>& skip) {
    options.holder.skip.insert(skip.begin(), skip.end());
  });
  holder->callback([&options] { options.verb = Verb::holder; });
}

void add_doctor(CLI::App& app, Options& options) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "Say what keeps GPUs from working or from being fast here");
  doctor->add_flag("--json", options.json, "As JSON");
  doctor->footer("Exit codes: 0 nothing worse than a note, 1 a warning, 2 an error.");
  doctor->fallthrough()->callback([&options] { options.verb = Verb::doctor; });

  CLI::App* ask = app.add_subcommand("ask-driver", "Ask the driver for the doctor");
  ask->group("")->fallthrough();
  ask->add_option("--without", options.question.without);
  ask->add_flag("--list", options.question.list_only);
  ask->callback([&options] { options.verb = Verb::ask_driver; });
}

/// The command line, cut in two.
struct Split {
  std::vector<std::string> ours;
  std::vector<std::string> command;
  bool has_dashes = false;
};

/// Whether `word`, an option of ours, takes the word after it as its value.
bool takes_next(const CLI::App& app, const std::string& word) {
  const auto wants_value = [&](const std::string& name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    return option != nullptr && option->get_type_size() > 0 && option->get_expected_min() > 0;
  };
  if (word.starts_with("--")) return word.find('=') == std::string::npos && wants_value(word);
  // Letters together: the first that wants a value gets what follows it, or the next word.
  for (std::size_t i = 1; i < word.size(); ++i)
    if (wants_value(std::string("-") + word[i])) return i + 1 == word.size();
  return false;
}

/// CLI11 must not see COMMAND: it splits an argument such as `[1,2]` in two.
Split split_at_command(const CLI::App& app, const Personality& as,
                       const std::vector<std::string>& argv) {
  if (argv.empty()) return {};
  auto end = argv.begin() + 1;
  if (as.needs_dashes) {
    end = std::find(end, argv.end(), "--");
  } else {
    while (end != argv.end() && *end != "--" && end->size() > 1 && end->front() == '-')
      end += takes_next(app, *end) && end + 1 != argv.end() ? 2 : 1;
  }
  Split split{{argv.begin() + 1, end}, {}, end != argv.end() && *end == "--"};
  split.command.assign(split.has_dashes ? end + 1 : end, argv.end());
  return split;
}

/// What only the options together can show.
void check_together(const Options& options, const Personality& as, const Split& split, bool waits) {
  if (options.verb == Verb::run && split.command.empty())
    throw CLI::ValidationError(
        "COMMAND", split.has_dashes
                       ? "nothing after --; name the program to run"
                       : "missing; write " + std::string(as.name) + " [options] -- COMMAND");
  if (options.verb != Verb::run && (split.has_dashes || !split.command.empty()))
    throw CLI::ValidationError("COMMAND", "this verb runs none; leave out -- and what follows");
  if (options.requirement != warm::Requirement::none &&
      options.holder.level == warm::HoldLevel::off)
    throw CLI::ValidationError("--require", "needs a holder; use --hold context or device");
  if (waits && options.holder.level == warm::HoldLevel::off)
    throw CLI::ValidationError("--wait-ready", "needs a holder; use --hold context or device");
  if (options.holder.init_timeout <= milliseconds::zero())
    throw CLI::ValidationError("--init-timeout", "must be longer than nothing; 30s is usual");
}

CLI::App* add_client_verb(CLI::App& app, const char* name, const char* help, Options& options,
                          Verb verb) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->fallthrough()->callback([&options, verb] { options.verb = verb; });
  return sub;
}

void add_timeout(CLI::App& sub, Options& options) {
  sub.add_option_function<std::string>(
         "--timeout",
         [&options](const std::string& text) {
           const auto timeout = parse_duration(text);
           if (!timeout)
             throw CLI::ValidationError("--timeout", "'" + text + "' is not a duration; write 30s");
           options.operate.timeout = *timeout;
         },
         "How long to wait at most [60s]")
      ->type_name("DURATION");
}

/// What asks the init of this container, at --socket.
void add_client_verbs(CLI::App& app, Options& options) {
  OperateOptions& operate = options.operate;
  CLI::App* status = add_client_verb(
      app, "status", "Show what is held; 0 all ready, 1 not, 2 cannot tell", options, Verb::status);
  status->add_flag("--json", options.json, "As JSON");
  status->add_flag("--ready", operate.ready_only, "Only the exit code");
  status->add_flag("--live", operate.live_only, "Only the exit code: 0 if init answers");
  status->add_flag("--probe", operate.probe, "Try a first GPU call in a fresh process as well");
  add_timeout(*status, options);
  add_timeout(
      *add_client_verb(app, "wait", "Return when the GPUs are ready (0), or will not be (1)",
                       options, Verb::wait),
      options);
  add_timeout(*add_client_verb(app, "release", "Give the GPUs back: contexts and device files",
                               options, Verb::release),
              options);
  add_timeout(*add_client_verb(app, "acquire", "Take the GPUs again, and wait until they are ready",
                               options, Verb::acquire),
              options);
}

void add_verbs(CLI::App& app, Options& options) {
  app.add_subcommand("hold", "No command: hold the GPUs until SIGTERM or SIGINT")
      ->fallthrough()
      ->callback([&options] { options.verb = Verb::hold; });
  CLI::App* devices = app.add_subcommand("devices", "Show the GPUs that the driver shows here");
  devices->add_flag("--json", options.json, "As JSON");
  devices->fallthrough()->callback([&options] { options.verb = Verb::devices; });
  add_client_verbs(app, options);
  add_doctor(app, options);
  add_hidden_holder(app, options);
  app.require_subcommand(0, 1);
}

/// What is left over, for the usual mistake: a command without -- before it.
std::string explain_extras(const CLI::App& app, const CLI::ExtrasError& error) {
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (extras.empty() || extras.front().starts_with('-')) return error.what();
  std::string command;
  for (const std::string& word : extras) command += " " + word;
  return "'" + command.substr(1) + "' is no verb; to run it, write warminit [options] --" + command;
}

/// Whether there is a variable of ours to read. (Those of the others are read in any case.)
bool has_variable() {
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("WARMINIT_")) return true;
  return false;
}

/// COMMAND, where nothing but that is given: `warminit -- COMMAND`, as most images say.
std::optional<std::vector<std::string>> bare_command(const Personality& as,
                                                     const std::vector<std::string>& argv) {
  if (argv.size() < 2 || has_variable()) return std::nullopt;
  if (argv[1] == "--" && argv.size() > 2) return std::vector(argv.begin() + 2, argv.end());
  if (!as.needs_dashes && !argv[1].starts_with('-'))
    return std::vector(argv.begin() + 1, argv.end());
  return std::nullopt;
}

/// The address, where this is the command line that init writes for an exporter. Not by CLI11: none
/// of our variables is for it, and one that init did not need to read might stop it.
std::optional<exporter::Address> exporter_address(const std::vector<std::string>& argv) {
  constexpr std::string_view kOption = "--metrics=";
  if (argv.size() != 3 || argv[1] != "exporter" || !argv[2].starts_with(kOption))
    return std::nullopt;
  return exporter::parse_address(std::string_view(argv[2]).substr(kOption.size()));
}

}  // namespace

std::variant<Options, Answer> parse(const std::vector<std::string>& argv) {
  const Personality& as = personality_of(argv.empty() ? "" : argv.front());
  Options options;
  options.holder.driver_library = "libcuda.so.1";
  ForeignOptions foreign;
  if (as.needs_dashes) options.metrics = exporter_address(argv);
  if (options.metrics) {
    options.verb = Verb::exporter;
    return options;
  }
  // CLI11 has nothing to read then, and the command waits for what it takes to be set up: 0.7 ms.
  if (auto command = bare_command(as, argv)) {
    options.init.command = *std::move(command);
    settle_init_options(as, foreign, options.init);
    options.log_level = settle_log_level(as, foreign);
    return options;
  }
  std::optional<milliseconds> wait_ready;
  const milliseconds unset{-1};

  CLI::App app("A container init that keeps the GPUs warm.", std::string(as.name));
  app.footer(kFooter)->get_formatter()->column_width(34);
  app.set_version_flag("-V,--version", version_text(as));
  Adder add(app);
  add_init_options(add, app, options.init, foreign);
  add_warm_options(add, options);
  add_operate_options(add, options.operate);
  add.optional_duration(
      "--wait-ready", wait_ready, unset,
      "Hold COMMAND back until the GPUs are ready, at most so long [--init-timeout]");
  add_metrics_option(add, options);
  add_log_options(add, options);
  add_verbs(app, options);

  Split split = split_at_command(app, as, argv);
  const auto refusal = [&](const std::string& why) {
    return Answer{
        std::string(as.name) + ": " + why + " (see " + std::string(as.name) + " --help)\n",
        as.codes.cannot_start};
  };
  try {
    std::ranges::reverse(split.ours);  // CLI11 takes a vector from its end.
    app.parse(split.ours);
    add.read_flag_variables();
    if (foreign.license) return Answer{"warminit: Apache License 2.0\n", 0};
    if (foreign.pause) options.verb = Verb::hold;
    check_together(options, as, split, wait_ready.has_value());
  } catch (const CLI::CallForHelp&) {
    return Answer{app.help(), 0};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", 0};
  } catch (const CLI::ExtrasError& error) {
    return refusal(explain_extras(app, error));
  } catch (const CLI::ParseError& error) {
    return refusal(error.what());
  }
  options.init.command = std::move(split.command);
  settle_init_options(as, foreign, options.init);
  if (options.log_level.empty()) options.log_level = settle_log_level(as, foreign);
  if (wait_ready)
    options.wait_ready = *wait_ready == unset ? options.holder.init_timeout : *wait_ready;
  if (options.requirement != warm::Requirement::none && !options.wait_ready)
    options.wait_ready = options.holder.init_timeout;
  return options;
}

}  // namespace warminit::cli
