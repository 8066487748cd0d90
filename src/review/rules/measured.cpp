#include "review/rules/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace gpushape::review {

namespace {

using domain::UsageMetric;
using domain::UsageSeries;

constexpr double kSecondsOfHour = 3600;
constexpr double kHoursOfDay = 24;

bool is_named_by(const PodRequest& pod, std::string_view holder) {
  const std::size_t slash = holder.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view space = holder.substr(0, slash);
  const std::string_view name = holder.substr(slash + 1);
  if (!pod.name_space.empty() && !space.empty() && pod.name_space != space) return false;
  return !pod.name.empty() && name.starts_with(pod.name) &&
         (name.size() == pod.name.size() || name[pod.name.size()] == '-');
}

/// "llama" does not own the pods of "llama-70b", where both are there.
bool is_owned_by(const Deployment& deployment, const PodRequest& pod, std::string_view holder) {
  if (!is_named_by(pod, holder)) return false;
  return std::ranges::none_of(deployment.pods, [&](const PodRequest& other) {
    return other.name.size() > pod.name.size() && is_named_by(other, holder);
  });
}

/// Hours up to the last sample for which `is_low` holds of every one.
double hours_at_end(const UsageSeries& series, const std::function<bool(double)>& is_low) {
  const double last = series.samples.back().seconds;
  double since = last;
  bool is_any = false;
  for (auto sample = series.samples.rbegin(); sample != series.samples.rend(); ++sample) {
    if (!is_low(sample->value)) break;
    since = sample->seconds;
    is_any = true;
  }
  return is_any ? (last - since) / kSecondsOfHour : 0;
}

double mean_of_samples(const UsageSeries& series) {
  double sum = 0;
  for (const domain::UsageSample& sample : series.samples) sum += sample.value;
  return sum / static_cast<double>(series.samples.size());
}

template <class T>
void keep_more(std::optional<T>& kept, T value) {
  if (!kept || *kept < value) kept = value;
}

template <class T>
void keep_less(std::optional<T>& kept, T value) {
  if (!kept || value < *kept) kept = value;
}

}  // namespace

std::optional<MeasuredUse> measured_use(const Deployment& deployment, const PodRequest& pod) {
  std::vector<const UsageSeries*> own;
  for (const UsageSeries& series : deployment.request->usage) {
    if (!series.samples.empty() && is_owned_by(deployment, pod, series.holder)) {
      own.push_back(&series);
    }
  }
  if (own.empty()) return std::nullopt;
  // The profiling counter tells how much of the time an engine worked; the other only that some
  // kernel ran.
  const bool has_engine = std::ranges::any_of(
      own, [](const UsageSeries* row) { return row->metric == UsageMetric::EngineActive; });
  const UsageMetric metric = has_engine ? UsageMetric::EngineActive : UsageMetric::Utilization;
  const double low = deployment.request->thresholds.low_compute.value;
  MeasuredUse use;
  use.holder = own.front()->holder;
  for (const UsageSeries* const series : own) {
    const double seconds = series->samples.back().seconds - series->samples.front().seconds;
    use.days = std::max(use.days, seconds / kSecondsOfHour / kHoursOfDay);
    if (series->metric == UsageMetric::MemoryUsed) {
      const auto most = std::ranges::max_element(series->samples, {}, &domain::UsageSample::value);
      keep_more(use.most_bytes, Bytes(static_cast<std::int64_t>(most->value)));
    }
    if (series->metric != metric) continue;
    keep_more(use.compute, mean_of_samples(*series));
    keep_less(use.silent_hours, hours_at_end(*series, [](double value) { return value <= 0; }));
    keep_less(use.low_hours, hours_at_end(*series, [low](double value) { return value < low; }));
  }
  return use;
}

std::string days_text(double days) {
  if (days * kHoursOfDay < 48) return fmt::format("{:.3g} hours", days * kHoursOfDay);
  return fmt::format("{:.3g} days", days);
}

}  // namespace gpushape::review
