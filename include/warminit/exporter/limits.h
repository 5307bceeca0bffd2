#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace warminit::exporter {

/// What a client, or PID 1, may cost the exporter.
struct Limits {
  std::size_t connections = 32;              ///< One more, and the oldest is closed.
  std::uint32_t header_bytes = 8192;         ///< Of a request, its first line included.
  std::chrono::milliseconds request{10000};  ///< From a connection's begin to its end.
  std::chrono::milliseconds answer{1000};    ///< Of PID 1; later is no answer.
};

}  // namespace warminit::exporter
