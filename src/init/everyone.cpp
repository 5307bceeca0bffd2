#include "warminit/init/everyone.h"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>

#include "warminit/os/process_tree.h"

namespace warminit::init {

void signal_everyone(int signal, pid_t group) {
  if (::getpid() == 1) {
    (void)::kill(-1, signal);  // One step that no fork can outrun. ESRCH: nobody is left.
    return;
  }
  const auto pids = os::descendants(::getpid());
  if (!pids) {
    if (group > 0) (void)::kill(-group, signal);
    return;
  }
  for (const pid_t pid : *pids)
    (void)::kill(pid, signal);  // Fails where it has ended meanwhile or is another user's now.
}

std::string name_everyone() {
  constexpr std::size_t kMostNamed = 5;
  const auto pids = os::descendants(::getpid());
  if (!pids) return "processes that cannot be seen without /proc";
  std::string text;
  for (std::size_t i = 0; i < pids->size() && i < kMostNamed; ++i)
    text += fmt::format("{}'{}' (pid {})", i == 0 ? "" : ", ", os::process_name((*pids)[i]),
                        (*pids)[i]);
  if (pids->size() > kMostNamed) text += fmt::format(" and {} more", pids->size() - kMostNamed);
  return text.empty() ? "nothing that can be seen" : text;
}

}  // namespace warminit::init
