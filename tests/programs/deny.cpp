// test_deny NUMBER… -- COMMAND…: executes COMMAND under a seccomp filter that answers EPERM to
// these system calls, as the profiles of old container runtimes do to every one that they do not
// know.

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  std::vector<sock_filter> filter{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
  };
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const auto number = static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10));
    filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number});
    filter.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM});
  }
  filter.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("test_deny: seccomp");
    return 99;
  }
  if (i + 1 < argc) ::execvp(argv[i + 1], argv + i + 1);
  std::perror("test_deny: exec");
  return 98;
}
