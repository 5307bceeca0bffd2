#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warminit::test {

/// A status with every field that there is: one GPU that is ready, one that has failed.
inline nlohmann::json full_status() {
  return nlohmann::json::parse(R"({
    "warminit": "0.1.0", "pid": 1, "start_time_seconds": 1700000000.5, "uptime_seconds": 12.25,
    "readiness": "partial", "ready": false, "hold": "context",
    "driver": {"path": "/usr/lib/libcuda.so.1", "version": 12040, "simulated": false,
               "devices": 2, "seconds": {"load": 0.125, "init": 0.25}},
    "problem": null,
    "holder": {"pid": 7, "starts": 2},
    "devices": [
      {"ordinal": 0, "uuid": "GPU-a", "name": "GPU", "pci_bus_id": "0000:01:00.0",
       "memory_bytes": 150754820096, "compute_mode": "Default", "mig": false, "status": "ready",
       "level": "context", "seconds": {"retain": 0.5, "module": 0.0625},
       "checks": {"passed": 3, "failed": 1, "last_seconds": 0.0002},
       "memory": {"free_bytes": 1024, "total_bytes": 150754820096}, "problem": null},
      {"ordinal": 1, "uuid": "GPU-b", "status": "failed", "level": "device", "seconds": {},
       "problem": {"code": 2, "reason": "out of memory", "remedy": "free some"}}],
    "init": {"orphans_reaped": 4, "signals_forwarded": 5},
    "command": {"pid": 9}})");
}

/// `status` as PID 1 sends it.
inline std::string answer_line(const nlohmann::json& status) {
  return nlohmann::json{{"version", 1}, {"ok", true}, {"status", status}}.dump() + "\n";
}

}  // namespace warminit::test
