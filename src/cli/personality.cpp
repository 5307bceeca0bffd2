#include "warminit/cli/personality.h"

#include <array>

namespace warminit::cli {
namespace {

using init::SignalTarget;

constexpr Personality kOwn{.codes = {}, .version = "warminit "};

/// tini gives 1 for what it has no code for; dumb-init knows 1 and 2; catatonit only 1.
constexpr std::array kOthers{
    Personality{.name = "tini",
                .needs_dashes = false,
                .codes = {.cannot_start = 1},
                .verbosity = 1,
                .version = "tini version "},
    Personality{.name = "docker-init",
                .needs_dashes = false,
                .codes = {.cannot_start = 1},
                .verbosity = 1,
                .version = "tini version "},
    Personality{.name = "dumb-init",
                .needs_dashes = false,
                .target = SignalTarget::group,
                .own_session = true,
                .codes = {.cannot_start = 1, .not_executable = 2, .not_found = 2},
                .verbosity = 1,
                .version = "dumb-init v"},
    Personality{.name = "catatonit",
                .needs_dashes = false,
                .codes = {.cannot_start = 1, .not_executable = 1, .not_found = 1},
                .verbosity = 1,
                .version = "tini version "},
};

/// Whether `file` is `name`, or a build of it: "tini-static", "dumb-init_1.2.5_x86_64".
bool is_called(std::string_view file, std::string_view name) {
  if (!file.starts_with(name)) return false;
  return file.size() == name.size() ||
         std::string_view("-_.").find(file[name.size()]) != std::string_view::npos;
}

}  // namespace

const Personality& personality_of(std::string_view argv0) {
  const std::string_view file = argv0.substr(argv0.rfind('/') + 1);
  for (const Personality& other : kOthers)
    if (is_called(file, other.name)) return other;
  return kOwn;
}

std::string version_text(const Personality& personality) {
  std::string text = std::string(personality.version) + WARMINIT_VERSION;
  if (&personality != &kOwn) text += "_warminit";
  return text;
}

}  // namespace warminit::cli
