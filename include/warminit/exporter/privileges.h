#pragma once

namespace warminit::exporter {

/// Gives up for good whatever a process needs only before it serves: other users' rights, every
/// capability, more than 64 descriptors, and gaining any of it back by executing a file.
///
/// Root becomes uid and gid 65534. Each step that this machine does not allow is left out: without
/// CAP_SETUID root stays root, without its capabilities.
void drop_privileges();

}  // namespace warminit::exporter
