#include "warminit/cli/operate_options.h"

#include <grp.h>

#include <limits>

#include "warminit/cli/paths.h"
#include "warminit/os/number.h"

namespace warminit::cli {
namespace {

gid_t group_or_refuse(const Adder& add, const std::string& text) {
  if (const auto number = os::to_number(text); number && *number >= 0)
    return static_cast<gid_t>(*number);
  // The binary carries its libc's reading of /etc/group only; other sources need a number.
  if (const group* entry = ::getgrnam(text.c_str())) return entry->gr_gid;
  add.refuse("--socket-group", "'" + text + "' is no group here; write its name or its number");
}

int descriptor_or_refuse(const Adder& add, const std::string& text) {
  const auto number = os::to_number(text);
  if (!number || *number <= 2)
    add.refuse("--ready-fd", "'" + text + "' is no descriptor; write a number from 3 on");
  return *number;
}

}  // namespace

void add_operate_options(Adder& add, OperateOptions& options) {
  add.text("--socket", "PATH|none",
           "Where init listens for status, wait, release and acquire [" +
               std::string(warm::kDefaultSocket) + "]",
           [&add, &options](const std::string& path) {
             if (path.empty()) add.refuse("--socket", "'' is no path; write one, or none");
             options.socket = path == "none" ? "" : absolute(path);
             options.socket_given = true;
           });
  add.text("--socket-group", "GROUP", "Members of GROUP may ask for status and wait [nobody else]",
           [&add, &options](const std::string& text) {
             options.socket_group = group_or_refuse(add, text);
           });
  add.text("--ready-fd", "N",
           "Write a newline to descriptor N when the GPUs are ready (at once with --hold off)",
           [&add, &options](const std::string& text) {
             options.ready.fd = descriptor_or_refuse(add, text);
           });
  add.text("--ready-file", "PATH", "Keep this file while the GPUs are ready",
           [&add, &options](const std::string& path) {
             if (path.empty()) add.refuse("--ready-file", "'' is no path");
             options.ready.file = absolute(path);
           });
  add.flag("--notify", options.ready.notify,
           "Tell the service manager (NOTIFY_SOCKET) when the GPUs are ready, in COMMAND's place");
}

}  // namespace warminit::cli
