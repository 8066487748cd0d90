#include "inventory/dcgm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "inventory/kubernetes_fields.hpp"
#include "inventory/prometheus.hpp"
#include "inventory/seen.hpp"

namespace gpushape::inventory {

using document::Node;
using domain::UsageMetric;
using domain::UsageSample;
using domain::UsageSeries;

namespace {

struct MetricRow {
  std::string_view name;
  UsageMetric metric;
  double factor;  ///< to the unit of the series
  double most;    ///< that the metric can be
};
constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr auto kMetrics = std::to_array<MetricRow>({
    {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", UsageMetric::EngineActive, 1, 1},
    {"DCGM_FI_DEV_GPU_UTIL", UsageMetric::Utilization, 0.01, 100},
    {"DCGM_FI_DEV_FB_USED", UsageMetric::MemoryUsed, kMebibyte, 1e9},
});
constexpr std::size_t kMostDcgmComplaints = 8;  // ours: the first ones tell what is wrong

class UsageReader {
 public:
  explicit UsageReader(const document::Document& document) : document_(document) {}

  Result<std::vector<UsageSeries>> run() {
    const Node* const result = at(document_.root, "data.result");
    if (result == nullptr || !result->is(Node::Kind::Sequence)) {
      return failure(document_.source->diagnostic(
          document_.root.position(), "this is no answer of Prometheus: data.result is missing",
          "save what /api/v1/query or /api/v1/query_range answers"));
    }
    if (const std::string status = text_at(document_.root, "status"); status == "error") {
      return failure(document_.source->diagnostic(
          document_.root.position(),
          fmt::format("Prometheus answered with an error: {}", text_at(document_.root, "error"))));
    }
    std::vector<UsageSeries> all;
    for (const Node& item : result->items()) read(item, all);
    if (complaints_ > kMostDcgmComplaints) {
      faults_.push_back(
          complaint(fmt::format("{}: {} more complaints like these", document_.source->file,
                                complaints_ - kMostDcgmComplaints)));
    }
    if (!faults_.empty()) return failure(std::move(faults_));
    if (all.empty()) {
      return failure(document_.source->diagnostic(
          result->position(), "the answer holds no sample of a GPU's activity or memory",
          "query {__name__=~\"DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_GPU_UTIL|"
          "DCGM_FI_DEV_FB_USED\"}"));
    }
    return all;
  }

 private:
  void complain(const Node& node, std::string message) {
    if (complaints_++ < kMostDcgmComplaints) {
      faults_.push_back(document_.source->diagnostic(node.position(), std::move(message)));
    }
  }

  void read(const Node& item, std::vector<UsageSeries>& all) {
    const auto row =
        std::ranges::find(kMetrics, text_at(item, "metric.__name__"), &MetricRow::name);
    if (row == kMetrics.end()) return;
    UsageSeries series;
    series.metric = row->metric;
    series.uuid = text_at(item, "metric.UUID");
    series.host = text_at(item, "metric.Hostname");
    series.index = text_at(item, "metric.gpu");
    series.pci_address = pci_address_of(text_at(item, "metric.pci_bus_id"));
    series.instance = text_at(item, "metric.GPU_I_ID");
    series.instance_profile = text_at(item, "metric.GPU_I_PROFILE");
    // With Prometheus' own labels in the way, the exporter's are renamed.
    for (const std::string prefix : {"exported_", ""}) {
      const std::string pod = text_at(item, fmt::format("metric.{}pod", prefix));
      if (pod.empty() || !series.holder.empty()) continue;
      series.holder =
          fmt::format("{}/{}", text_at(item, fmt::format("metric.{}namespace", prefix)), pod);
    }
    series.samples = samples_of(item, row->name, row->most, [this](const Node& node, auto message) {
      complain(node, std::move(message));
    });
    for (UsageSample& sample : series.samples) sample.value *= row->factor;
    if (!series.samples.empty()) all.push_back(std::move(series));
  }

  const document::Document& document_;
  Diagnostics faults_;
  std::size_t complaints_ = 0;
};

}  // namespace

Result<std::vector<UsageSeries>> read_usage(const document::Document& document) {
  return UsageReader(document).run();
}

}  // namespace gpushape::inventory
