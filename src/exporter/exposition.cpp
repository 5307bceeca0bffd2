#include "warminit/exporter/exposition.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace warminit::exporter {
namespace {

std::string_view suffix(MetricType type) {
  if (type == MetricType::counter) return "_total";
  return type == MetricType::info ? "_info" : "";
}

std::string_view type_name(MetricType type, MetricsFormat format) {
  if (type == MetricType::counter) return "counter";
  // The older text knows no infos.
  return type == MetricType::info && format == MetricsFormat::openmetrics ? "info" : "gauge";
}

/// Both formats escape the same three characters in the value of a label.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text;
}

std::string in_braces(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += text.empty() ? "{" : ",";
    text.append(name).append("=\"").append(escaped(value)).append("\"");
  }
  return text.empty() ? text : text + "}";
}

/// JSON writes numbers as both formats read them, and a whole number without an exponent.
std::string number(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (!value.is_number() || !std::isfinite(value.get<double>())) return "";
  return value.dump();
}

}  // namespace

void Exposition::family(const Family& family) {
  family_ = family;
  name_ = std::string(family.name).append(suffix(family.type));
  headed_ = false;
}

void Exposition::head() {
  const auto line = [this](std::string_view keyword, std::string_view name, std::string_view rest) {
    text_.append("# ").append(keyword).append(" ").append(name).append(" ").append(rest).append(
        "\n");
  };
  const bool open = format_ == MetricsFormat::openmetrics;
  // OpenMetrics names the family, the older text its samples.
  const std::string_view name = open ? family_.name : name_;
  line("HELP", name, family_.help);
  line("TYPE", name, type_name(family_.type, format_));
  if (open && !family_.unit.empty()) line("UNIT", name, family_.unit);
}

void Exposition::sample(const Labels& labels, const nlohmann::json& value) {
  const std::string text = number(value);
  if (text.empty()) return;
  if (!std::exchange(headed_, true)) head();
  text_.append(name_).append(in_braces(labels)).append(" ").append(text).append("\n");
}

std::string Exposition::finish() && {
  if (format_ == MetricsFormat::openmetrics) text_ += "# EOF\n";
  return std::move(text_);
}

}  // namespace warminit::exporter
