#pragma once

#include <istream>
#include <ostream>

// CLI11 includes <iostream>, which sets up the eight standard streams before main in every process:
// 0.6 ms, a third of what PID 1 takes until the command runs. It names two of them, as defaults of
// functions that we do not call. So that header is taken as included already (libstdc++'s guard),
// and the two are declared here.
#ifndef _GLIBCXX_IOSTREAM
#define _GLIBCXX_IOSTREAM 1  // NOLINT(bugprone-reserved-identifier): the guard's name.
namespace std {
extern ostream cout;  // NOLINT(cert-dcl58-cpp): as <iostream> declares it.
extern ostream cerr;  // NOLINT(cert-dcl58-cpp): as <iostream> declares it.
}  // namespace std
#endif

#include <CLI/CLI.hpp>
