#include "warminit/exporter/reply.h"

#include <algorithm>
#include <cctype>

#include "warminit/exporter/field.h"
#include "warminit/exporter/metrics.h"

namespace warminit::exporter {
namespace {

constexpr std::string_view kOpenMetrics =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr std::string_view kText = "text/plain; version=0.0.4; charset=utf-8";

std::string_view reason(int code) {
  switch (code) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Payload Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

Reply metrics(std::string_view accept, const nlohmann::json& status) {
  std::string wanted(accept);
  std::ranges::transform(wanted, wanted.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (wanted.find("application/openmetrics-text") == std::string::npos)
    return {200, to_metrics(status, MetricsFormat::text), kText};
  return {200, to_metrics(status, MetricsFormat::openmetrics), kOpenMetrics};
}

/// "prefix: reason; remedy" as a line, if there is a problem at all.
std::string problem_line(const std::string& prefix, const nlohmann::json& problem) {
  if (!problem.is_object()) return "";
  const std::string remedy = text_field(problem, {"remedy"});
  return prefix + text_field(problem, {"reason"}) + (remedy.empty() ? "" : "; " + remedy) + "\n";
}

std::string explain(const nlohmann::json& status) {
  const std::string word = text_field(status, {"readiness"});
  std::string text = (word.empty() ? "not ready" : word) + "\n";
  text += problem_line("", field(status, {"problem"}));
  const nlohmann::json devices = field(status, {"devices"});
  if (!devices.is_array()) return text;
  for (const nlohmann::json& device : devices)
    text +=
        problem_line("GPU " + text_field(device, {"ordinal"}) + " " + text_field(device, {"uuid"}) +
                         " " + text_field(device, {"status"}) + ": ",
                     field(device, {"problem"}));
  return text;
}

}  // namespace

std::optional<Endpoint> endpoint_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/metrics") return Endpoint::metrics;
  if (path == "/livez") return Endpoint::live;
  if (path == "/readyz") return Endpoint::ready;
  return std::nullopt;
}

Reply reply_to(Endpoint endpoint, std::string_view accept, const Answer& answer) {
  // Also of a PID 1 that does not answer there is something to tell: warminit_up is 0.
  if (endpoint == Endpoint::metrics) return metrics(accept, answer.status);
  if (!answer.status.is_object()) return {503, answer.problem + "\n"};
  if (endpoint == Endpoint::live) return {200, "ok\n"};
  if (field(answer.status, {"ready"}) == true) return {200, "ready\n"};
  return {503, explain(answer.status)};
}

Reply refusal(int code) { return {code, std::string(reason(code)) + "\n"}; }

std::string to_http(const Reply& reply, bool with_body) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.code) + " ";
  text.append(reason(reply.code)).append("\r\nContent-Type: ").append(reply.content_type);
  text += "\r\nContent-Length: " + std::to_string(reply.body.size());
  if (reply.code == 405) text += "\r\nAllow: GET, HEAD";
  text += "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
  return with_body ? text + reply.body : text;
}

}  // namespace warminit::exporter
