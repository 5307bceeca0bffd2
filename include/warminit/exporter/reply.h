#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "warminit/exporter/answer.h"

namespace warminit::exporter {

/// What can be asked for over HTTP.
enum class Endpoint {
  metrics,  ///< /metrics
  live,     ///< /livez: does PID 1 answer?
  ready,    ///< /readyz: are the GPUs ready?
};

struct Reply {
  int code = 200;
  std::string body;  ///< Ends with a newline.
  std::string_view content_type = "text/plain; charset=utf-8";
};

/// The endpoint that `target`, of a request line, names; what follows a `?` does not matter.
std::optional<Endpoint> endpoint_of(std::string_view target);

/// The reply that PID 1's answer amounts to. `accept` is the request's header of that name: who
/// names OpenMetrics there gets it.
Reply reply_to(Endpoint endpoint, std::string_view accept, const Answer& answer);

/// The reply to a request that is none of ours: `code` with one line of text.
Reply refusal(int code);

/// `reply` as it goes over the wire; without its body for HEAD. The connection ends with it.
std::string to_http(const Reply& reply, bool with_body);

}  // namespace warminit::exporter
