#include "estimate/traffic/replay.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace gpushape::estimate {

using domain::Replay;
using domain::TokenRequest;
using domain::TokenTrace;

namespace {

// vLLM engine/arg_utils.py, get_batch_defaults: tokens of one step of a server on most GPUs.
constexpr std::int64_t kPromptTokensOfStep = 2048;
constexpr std::size_t kMoments = 2048;       // ours: P99 rests on the twenty highest
constexpr std::size_t kReplayClasses = 128;  // ours: what a moment keeps of each sequence's length

/// A request from its arrival to its last token.
struct Stay {
  double arrives = 0;
  double speaks = 0;  ///< the first token of the answer
  double leaves = 0;
  std::int64_t input = 0;
  std::int64_t output = 0;

  /// Tokens in the cache; the whole prompt from the start.
  [[nodiscard]] double tokens_at(double second) const {
    const double length = leaves - speaks;
    const double part = length > 0 ? std::clamp((second - speaks) / length, 0.0, 1.0) : 0;
    return static_cast<double>(input) + part * static_cast<double>(output);
  }
};

std::vector<Stay> stays_of(const TokenTrace& trace, double token_seconds) {
  std::vector<Stay> stays;
  stays.reserve(trace.requests.size());
  for (const TokenRequest& request : trace.requests) {
    const std::int64_t steps =
        (request.input_tokens + kPromptTokensOfStep - 1) / kPromptTokensOfStep;
    const double speaks = request.seconds + static_cast<double>(steps) * token_seconds;
    stays.push_back({.arrives = request.seconds,
                     .speaks = speaks,
                     .leaves = speaks + static_cast<double>(request.output_tokens) * token_seconds,
                     .input = request.input_tokens,
                     .output = request.output_tokens});
  }
  std::ranges::stable_sort(stays, {}, &Stay::arrives);
  return stays;
}

struct Weighted {
  double value = 0;
  double seconds = 0;
};

double quantile_of(std::vector<Weighted>& values, double level) {
  std::ranges::sort(values, {}, &Weighted::value);
  double all = 0;
  for (const Weighted& value : values) all += value.seconds;
  double below = 0;
  for (const Weighted& value : values) {
    below += value.seconds;
    if (below >= level * all) return value.value;
  }
  return values.empty() ? 0 : values.back().value;
}

double mean_over_time(const std::vector<Weighted>& values) {
  double all = 0;
  double sum = 0;
  for (const Weighted& value : values) {
    all += value.seconds;
    sum += value.value * value.seconds;
  }
  return all > 0 ? sum / all : 0;
}

/// Arrivals and departures in the order of time; between two of them the answers of those that
/// speak grow in a straight line.
class Counting {
 public:
  Counting(const std::vector<Stay>& stays, double token_seconds)
      : end_(stays.back().arrives), rate_(1 / token_seconds) {
    std::vector<Change> changes;
    for (const Stay& stay : stays) {
      const auto input = static_cast<double>(stay.input);
      changes.push_back({stay.arrives, 1, 0, input});
      if (stay.output > 0) changes.push_back({stay.speaks, 0, 1, 0});
      changes.push_back(
          {stay.leaves, -1, stay.output > 0 ? -1 : 0, -input - static_cast<double>(stay.output)});
    }
    std::ranges::sort(changes);
    double last = stays.front().arrives;
    for (const Change& change : changes) {
      if (std::get<0>(change) > end_) break;
      pass(std::get<0>(change) - last);
      last = std::get<0>(change);
      count_ += std::get<1>(change);
      speaking_ += std::get<2>(change);
      tokens_ += std::get<3>(change);
      peak_count_ = std::max(peak_count_, count_);
      peak_tokens_ = std::max(peak_tokens_, tokens_);
    }
  }

  void fill(Replay& replay) {
    replay.mean_in_flight = mean_over_time(counts_);
    replay.p99_in_flight = std::llround(quantile_of(counts_, 0.99));
    replay.peak_in_flight = peak_count_;
    replay.mean_tokens = mean_over_time(tokens_over_time_);
    replay.p50_tokens = quantile_of(tokens_over_time_, 0.5);
    replay.p99_tokens = quantile_of(tokens_over_time_, 0.99);
    replay.peak_tokens = peak_tokens_;
  }

 private:
  using Change = std::tuple<double, int, int, double>;

  void pass(double seconds) {
    if (seconds <= 0) return;
    const double grown = seconds * rate_ * static_cast<double>(speaking_);
    counts_.push_back({static_cast<double>(count_), seconds});
    tokens_over_time_.push_back({tokens_ + grown / 2, seconds});
    tokens_ += grown;
    peak_tokens_ = std::max(peak_tokens_, tokens_);
  }

  double end_;
  double rate_;
  std::int64_t count_ = 0;
  std::int64_t speaking_ = 0;
  double tokens_ = 0;
  std::int64_t peak_count_ = 0;
  double peak_tokens_ = 0;
  std::vector<Weighted> counts_;
  std::vector<Weighted> tokens_over_time_;
};

/// What is in flight at each moment: a list of the sequences' tokens.
std::vector<std::vector<double>> look_at_moments(const std::vector<Stay>& stays) {
  const double first = stays.front().arrives;
  const double step = (stays.back().arrives - first) / static_cast<double>(kMoments);
  std::vector<std::vector<double>> moments;
  std::vector<const Stay*> present;
  std::size_t next = 0;
  for (std::size_t i = 0; i < kMoments; ++i) {
    const double now = first + step * (static_cast<double>(i) + 0.5);
    while (next < stays.size() && stays[next].arrives <= now) present.push_back(&stays[next++]);
    std::erase_if(present, [&](const Stay* stay) { return stay->leaves <= now; });
    std::vector<double>& here = moments.emplace_back();
    for (const Stay* stay : present) here.push_back(stay->tokens_at(now));
  }
  return moments;
}

/// Sequences of nearly the same length stand in one class, at the mean of all that do.
void keep_classes(const std::vector<std::vector<double>>& moments, Replay& replay) {
  std::vector<double> all;
  for (const std::vector<double>& moment : moments)
    all.insert(all.end(), moment.begin(), moment.end());
  if (all.empty()) return;
  std::ranges::sort(all);
  std::vector<double> ends;  // the largest value of each class
  for (std::size_t i = 1; i <= kReplayClasses; ++i) {
    const double end = all[std::max<std::size_t>(1, all.size() * i / kReplayClasses) - 1];
    if (ends.empty() || end > ends.back()) ends.push_back(end);
  }
  std::vector<double> sums(ends.size());
  std::vector<double> counts(ends.size());
  const auto class_of = [&](double tokens) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ends, tokens) - ends.begin());
  };
  for (const double tokens : all) {
    sums[class_of(tokens)] += tokens;
    ++counts[class_of(tokens)];
  }
  for (std::size_t i = 0; i < ends.size(); ++i) replay.class_tokens.push_back(sums[i] / counts[i]);
  for (const std::vector<double>& moment : moments) {
    Replay::Moment kept{.counts = std::vector<float>(ends.size())};
    for (const double tokens : moment) kept.counts[class_of(tokens)] += 1;
    replay.moments.push_back(std::move(kept));
  }
}

}  // namespace

Replay replay_trace(const TokenTrace& trace, double token_seconds) {
  const std::vector<Stay> stays = stays_of(trace, token_seconds);
  Replay replay;
  replay.token_seconds = token_seconds;
  Counting(stays, token_seconds).fill(replay);
  keep_classes(look_at_moments(stays), replay);
  return replay;
}

std::int64_t in_flight_at(const Replay& replay, double level) {
  if (level == 0.99) return std::max<std::int64_t>(1, replay.p99_in_flight);
  std::vector<double> counts;
  for (const Replay::Moment& moment : replay.moments) {
    double count = 0;
    for (const float of_class : moment.counts) count += static_cast<double>(of_class);
    counts.push_back(count);
  }
  if (counts.empty()) return std::max<std::int64_t>(1, replay.p99_in_flight);
  std::ranges::sort(counts);
  const auto rank =
      static_cast<std::size_t>(std::ceil(level * static_cast<double>(counts.size()) - 1e-9));
  const double found = counts[std::clamp<std::size_t>(rank, 1, counts.size()) - 1];
  return std::max<std::int64_t>(1, std::llround(found));
}

std::int64_t poisson_quantile(double mean, double level) {
  // Far from its start the distribution is summed from ten deviations below the mean on.
  const double start = std::max(0.0, std::floor(mean - 10 * std::sqrt(mean)));
  double weight = std::exp(start * std::log(mean) - mean - std::lgamma(start + 1));
  double sum = weight;
  double count = start;
  while (sum < level - 1e-12 && count < mean + 40 * std::sqrt(mean) + 100) {
    ++count;
    weight *= mean / count;
    sum += weight;
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace gpushape::estimate
