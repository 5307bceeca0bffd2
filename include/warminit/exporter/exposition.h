#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warminit::exporter {

/// The two texts that Prometheus reads.
enum class MetricsFormat {
  openmetrics,  ///< OpenMetrics 1.0.
  text,         ///< Prometheus' own, version 0.0.4.
};

enum class MetricType { gauge, counter, info };

/// What the samples of one name have in common.
struct Family {
  std::string_view name;  ///< Without `_total` and `_info`, which its type adds.
  MetricType type = MetricType::gauge;
  std::string_view unit;  ///< The end of `name`, or nothing.
  std::string_view help;
};

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// Writes samples, family by family, in one of the formats.
///
/// Source: OpenMetrics 1.0, "Text Format"; Prometheus, "Exposition formats".
class Exposition {
 public:
  explicit Exposition(MetricsFormat format) : format_(format) {}

  /// The samples that follow belong to `family`, whose strings must outlive them. A family without
  /// a sample is not mentioned.
  void family(const Family& family);

  /// Adds a sample if `value` is a number or a truth value; anything else is no value.
  void sample(const Labels& labels, const nlohmann::json& value);

  /// The whole text; nothing can be added after it.
  std::string finish() &&;

 private:
  void head();

  MetricsFormat format_;
  Family family_;
  std::string name_;  ///< Of the samples of `family_`.
  bool headed_ = false;
  std::string text_;
};

}  // namespace warminit::exporter
