#include "warminit/exporter/exporter.h"

#include <sys/prctl.h>
#include <sys/socket.h>

#include <stdexcept>
#include <utility>

#include "warminit/exporter/listen.h"
#include "warminit/exporter/privileges.h"
#include "warminit/exporter/server.h"

namespace warminit::exporter {

std::vector<std::string> exporter_arguments(const Address& address) {
  return {"warminit-exporter", "exporter", "--metrics=" + to_string(address)};
}

int run_exporter(const Address& address) {
  (void)::prctl(PR_SET_NAME, "warminit-export");  // As ps shows it: 15 characters at most.
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(kExporterLink, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
    throw std::runtime_error(
        "the verb exporter is for init, which gives it a socket; "
        "use --metrics instead");
  os::Fd link(kExporterLink);
  os::Fd listening = listen_on(address);  // A port below 1024 needs what is given up next.
  drop_privileges();
  serve(std::move(listening), std::move(link));
  return 0;
}

}  // namespace warminit::exporter
