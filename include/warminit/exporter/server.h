#pragma once

#include "warminit/exporter/limits.h"
#include "warminit/os/fd.h"

namespace warminit::exporter {

/// Serves HTTP on `listening` with what PID 1 answers over `link`, until `link` is closed.
///
/// Shape: one thread, no wait but for events; descriptors are at most the connections and nine
/// more. Errors: boost::system::system_error where there is no epoll instance or timer to be had.
void serve(os::Fd listening, os::Fd link, const Limits& limits = {});

}  // namespace warminit::exporter
