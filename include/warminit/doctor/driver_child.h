#pragma once

#include <string>

#include "warminit/doctor/answer.h"

namespace warminit::doctor {

/// Loads the driver into this process and finds out what it shows and whether it works.
///
/// Unless only a list is wanted, each device in compute mode Default gets a context and a verified
/// kernel for a moment: about 0.2 s and 263 MiB of its memory. Takes the variables that `question`
/// names out of this process's environment.
Answer ask_here(const std::string& library, const Question& question);

/// The hidden verb: ask_here() as a line on stdout. Ends with the process that started it.
int run_ask_driver(const std::string& library, const Question& question);

}  // namespace warminit::doctor
