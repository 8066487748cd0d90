#include "inventory/engine_telemetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "inventory/kubernetes_fields.hpp"
#include "inventory/prometheus.hpp"

namespace gpushape::inventory {

using document::Node;
using domain::DeviceTelemetry;
using domain::EngineTelemetry;
using domain::UsageMetric;
using domain::UsageSample;
using domain::UsageSeries;

namespace {

enum class EngineMetric { Use, Running, Preemptions, PoolTokens, CacheConfig };

struct EngineMetricRow {
  std::string_view name;
  EngineMetric metric;
  double most;
};
constexpr double kMostCount = 1e12;
constexpr auto kEngineMetrics = std::to_array<EngineMetricRow>({
    {"vllm:kv_cache_usage_perc", EngineMetric::Use, 1},
    {"vllm:gpu_cache_usage_perc", EngineMetric::Use, 1},
    {"kv_cache_usage_perc", EngineMetric::Use, 1},
    {"gpu_cache_usage_perc", EngineMetric::Use, 1},
    {"sglang:token_usage", EngineMetric::Use, 1},
    {"vllm:num_requests_running", EngineMetric::Running, 1e6},
    {"num_requests_running", EngineMetric::Running, 1e6},
    {"sglang:num_running_reqs", EngineMetric::Running, 1e6},
    {"vllm:num_preemptions_total", EngineMetric::Preemptions, kMostCount},
    {"vllm:num_preemptions", EngineMetric::Preemptions, kMostCount},
    {"num_preemptions_total", EngineMetric::Preemptions, kMostCount},
    {"sglang:max_total_num_tokens", EngineMetric::PoolTokens, kMostCount},
    {"vllm:cache_config_info", EngineMetric::CacheConfig, kMostCount},
});
constexpr std::size_t kMostToldFaults = 8;  // ours: the first ones tell what is wrong
constexpr std::size_t kMostKept = 4'000;    // ours: quantiles in place of samples beyond
constexpr double kLongestStep = 3600;       // ours: a gap above an hour was not measured
constexpr double kSecondsOfDay = 86'400;

/// What tells series of one metric apart.
std::string labels_of(const Node& item) {
  std::string labels;
  const Node* const metric = item.find("metric");
  if (metric == nullptr) return labels;
  for (const Node::Entry& entry : metric->entries()) {
    if (entry.name != "__name__") labels += entry.name + "=" + entry.value.text() + ",";
  }
  return labels;
}

/// Days that the samples stand for; `times` in ascending order.
double days_covered(const std::vector<double>& times) {
  double seconds = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    seconds += std::min(times[i] - times[i - 1], kLongestStep);
  return seconds / kSecondsOfDay;
}

/// Ascending, and no more of them than say all there is to say.
void settle(std::vector<double>& values) {
  std::ranges::sort(values);
  if (values.size() <= kMostKept) return;
  std::vector<double> kept;
  kept.reserve(kMostKept);
  for (std::size_t i = 0; i < kMostKept; ++i)
    kept.push_back(values[(i * (values.size() - 1)) / (kMostKept - 1)]);
  values = std::move(kept);
}

class TelemetryReader {
 public:
  Result<EngineTelemetry> run(std::span<const document::Document> documents) {
    std::set<std::string> files;
    for (const document::Document& document : documents) {
      document_ = &document;
      files.insert(document.source->file);
      const Node* const result = at(document.root, "data.result");
      if (text_at(document.root, "status") == "error") {
        complain(document.root, fmt::format("Prometheus answered with an error: {}",
                                            text_at(document.root, "error")));
        continue;
      }
      if (result == nullptr || !result->is(Node::Kind::Sequence)) {
        complain(document.root, "this is no answer of Prometheus: data.result is missing");
        continue;
      }
      for (const Node& item : result->items()) read(item);
    }
    if (complaints_ > kMostToldFaults) {
      faults_.push_back(
          complaint(fmt::format("{} more complaints like these", complaints_ - kMostToldFaults)));
    }
    if (!faults_.empty()) return failure(std::move(faults_));
    if (telemetry_.uses.empty()) {
      return failure(documents.front().source->diagnostic(
          documents.front().root.position(),
          "the answer holds no sample of how full an engine's cache was",
          "query vllm:kv_cache_usage_perc (or gpu_cache_usage_perc, or sglang:token_usage) by "
          "/api/v1/query_range"));
    }
    telemetry_.from = fmt::format("{}", fmt::join(files, ", "));
    telemetry_.engines = static_cast<std::int64_t>(times_.size());
    for (auto& [labels, times] : times_) {
      std::ranges::sort(times);
      telemetry_.days = std::max(telemetry_.days, days_covered(times));
    }
    settle(telemetry_.uses);
    settle(telemetry_.running);
    return std::move(telemetry_);
  }

 private:
  void complain(const Node& node, std::string message) {
    if (complaints_++ < kMostToldFaults)
      faults_.push_back(document_->source->diagnostic(node.position(), std::move(message)));
  }

  void read(const Node& item) {
    const auto* const row =
        std::ranges::find(kEngineMetrics, text_at(item, "metric.__name__"), &EngineMetricRow::name);
    if (row == kEngineMetrics.end()) return;
    if (const std::string model = text_at(item, "metric.model_name"); !model.empty())
      telemetry_.model = model;
    const std::vector<UsageSample> samples =
        samples_of(item, row->name, row->most,
                   [this](const Node& node, auto message) { complain(node, std::move(message)); });
    if (samples.empty()) return;
    switch (row->metric) {
      case EngineMetric::Use:
        for (const UsageSample& sample : samples) {
          telemetry_.uses.push_back(sample.value);
          times_[labels_of(item)].push_back(sample.seconds);
        }
        break;
      case EngineMetric::Running:
        for (const UsageSample& sample : samples) telemetry_.running.push_back(sample.value);
        break;
      case EngineMetric::Preemptions:
        telemetry_.preemptions = telemetry_.preemptions.value_or(0) + increase(samples);
        break;
      case EngineMetric::PoolTokens:
        for (const UsageSample& sample : samples)
          take_pool(static_cast<std::int64_t>(sample.value));
        break;
      case EngineMetric::CacheConfig:
        read_config(item);
        break;
    }
  }

  /// A counter begins at 0 again where its process does.
  static std::int64_t increase(const std::vector<UsageSample>& samples) {
    double total = 0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
      const double step = samples[i].value - samples[i - 1].value;
      total += step >= 0 ? step : samples[i].value;
    }
    return static_cast<std::int64_t>(std::llround(total));
  }

  void read_config(const Node& item) {
    const auto number = [&](const char* label) -> std::int64_t {
      const std::string text = text_at(item, fmt::format("metric.{}", label));
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value > 0 && value < (std::int64_t{1} << 40) ? value : 0;
    };
    const std::int64_t blocks = number("num_gpu_blocks");
    const std::int64_t tokens = number("block_size");
    if (blocks > 0 && tokens > 0 && tokens <= 65'536) take_pool(blocks * tokens);
    telemetry_.cache_type = text_at(item, "metric.cache_dtype");
    const std::string share = text_at(item, "metric.gpu_memory_utilization");
    double value = 0;
    const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), value);
    if (error == std::errc() && value > 0 && value <= 1) telemetry_.utilization = value;
  }

  void take_pool(std::int64_t tokens) {
    if (tokens <= 0) return;
    telemetry_.pool_tokens = std::min(telemetry_.pool_tokens.value_or(tokens), tokens);
  }

  const document::Document* document_ = nullptr;
  EngineTelemetry telemetry_;
  std::map<std::string, std::vector<double>> times_;
  Diagnostics faults_;
  std::size_t complaints_ = 0;
};

}  // namespace

bool is_prometheus_answer(const document::Document& document) {
  return at(document.root, "data.result") != nullptr ||
         (document.root.find("status") != nullptr && document.root.find("kind") == nullptr);
}

Result<EngineTelemetry> read_engine_telemetry(std::span<const document::Document> documents) {
  return TelemetryReader().run(documents);
}

DeviceTelemetry device_telemetry(std::span<const UsageSeries> series, std::string from) {
  DeviceTelemetry telemetry;
  telemetry.from = std::move(from);
  std::set<std::string> gpus;
  // The profiler's figure counts engines, the driver's any kernel: the first where it is there.
  const bool has_engines = std::ranges::any_of(
      series, [](const UsageSeries& one) { return one.metric == UsageMetric::EngineActive; });
  for (const UsageSeries& one : series) {
    gpus.insert(one.host + "/" + one.uuid + one.index + "/" + one.instance);
    telemetry.is_instance = telemetry.is_instance || !one.instance.empty();
    std::vector<double> times;
    double sum = 0;
    for (const UsageSample& sample : one.samples) {
      times.push_back(sample.seconds);
      sum += sample.value;
      if (one.metric == UsageMetric::MemoryUsed) telemetry.used_bytes.push_back(sample.value);
    }
    telemetry.days = std::max(telemetry.days, days_covered(times));
    const bool is_activity = one.metric == UsageMetric::EngineActive ||
                             (one.metric == UsageMetric::Utilization && !has_engines);
    if (is_activity) {
      const double mean = sum / static_cast<double>(one.samples.size());
      telemetry.compute = std::max(telemetry.compute.value_or(0), mean);
    }
  }
  telemetry.gpus = static_cast<std::int64_t>(gpus.size());
  settle(telemetry.used_bytes);
  return telemetry;
}

}  // namespace gpushape::inventory
