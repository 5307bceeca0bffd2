#include "warminit/exporter/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace warminit::exporter {
namespace {

constexpr unsigned kNobody = 65534;

/// Room for all connections and what serves them.
constexpr rlim_t kMostDescriptors = 64;

}  // namespace

void drop_privileges() {
  const rlimit descriptors{kMostDescriptors, kMostDescriptors};
  (void)::setrlimit(RLIMIT_NOFILE, &descriptors);
  // The bounding set while there is a capability to do so, and the user before that is gone.
  for (unsigned long capability = 0;; ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  if (::geteuid() == 0) {
    (void)::setgroups(0, nullptr);
    (void)!::setresgid(kNobody, kNobody, kNobody);
    (void)!::setresuid(kNobody, kNobody, kNobody);
  }
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  (void)::syscall(SYS_capset, &header, none.data());
  (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

}  // namespace warminit::exporter
