#include "estimate/traffic/token_demand.hpp"

#include <algorithm>
#include <cmath>

#include "estimate/traffic/normal.hpp"

namespace gpushape::estimate {

using domain::LengthBasis;
using domain::Lengths;
using domain::LengthShare;
using domain::Replay;

namespace {

// consumption-rules.md, section 7: a lognormal through P50 and P95 gives 0.76 to 1.26 of the true
// P99; it is taken without the skewness of the sum, times 1.10, and for few sequences not below as
// many times P95.
constexpr double kTwoPercentilesMargin = 1.10;
constexpr double kTwoPercentilesLeast = 0.76;
constexpr double kTwoPercentilesMost = 1.26;
constexpr std::int64_t kFewSequences = 4;
constexpr double kFewLevel = 0.95;  // from this level on, P95 of each is too little for the sum

// Ours, measured with bench/joint_demand on the Azure 2023 and Mooncake conversation traces, 4 to
// 256 sequences: mean and deviation -5 to +4 % at 4 sequences and less with more, which is a
// deviation that is 10 % off; taken half as wide again.
constexpr double kMomentsError = 0.15;
// The same with one percentile in place of the deviation: -15 to +26 % at 4 sequences. The
// deviation itself is 0.8 and 1.3 of the mean in those traces, where nothing but a mean takes it
// for 1.
constexpr double kLeastDeviation = 0.5;
constexpr double kMostDeviation = 1.6;
constexpr double kReplayError = 0.1;  // ours: the time between two tokens is not constant

std::vector<UnitShare> units_of_shares(const Lengths& lengths, const UnitsOf& units_of) {
  std::vector<UnitShare> units;
  units.reserve(lengths.shares.size());
  for (const LengthShare& share : lengths.shares)
    units.push_back({.units = units_of(share.tokens), .share = share.share});
  return units;
}

std::vector<double> units_over_time(const Replay& replay, const UnitsOf& units_of) {
  std::vector<double> of_class;
  for (const double tokens : replay.class_tokens) of_class.push_back(units_of(tokens));
  std::vector<double> sums;
  for (const Replay::Moment& moment : replay.moments) {
    double sum = 0;
    for (std::size_t i = 0; i < of_class.size(); ++i)
      sum += static_cast<double>(moment.counts[i]) * of_class[i];
    sums.push_back(sum);
  }
  return sums;
}

/// Two standard errors of the mean of so many requests, which a sum of any count repeats, as a part
/// of that sum.
double sampling_error(const SequenceSum& sum, std::int64_t count, std::int64_t samples) {
  if (samples < 1 || sum.mean() <= 0) return 0;
  const double of_one = sum.deviation() / std::sqrt(static_cast<double>(count));
  const double mean_of_one = sum.mean() / static_cast<double>(count);
  return 2 * of_one / mean_of_one / std::sqrt(static_cast<double>(samples));
}

}  // namespace

JointDemand::JointDemand(const Lengths& lengths, std::int64_t count, const UnitsOf& units_of)
    : sum_(units_of_shares(lengths, units_of), count) {
  set_bounds(lengths, count, units_of);
}

JointDemand::JointDemand(const Replay& replay, const UnitsOf& units_of)
    : sum_(units_over_time(replay, units_of)), low_(1 - kReplayError), high_(1 + kReplayError) {}

void JointDemand::set_bounds(const Lengths& lengths, std::int64_t count, const UnitsOf& units_of) {
  switch (lengths.basis) {
    case LengthBasis::Constant:
      break;
    case LengthBasis::Trace: {
      const double error = std::min(0.5, sampling_error(sum_, count, lengths.samples));
      low_ = 1 - error;
      high_ = 1 + error;
      break;
    }
    case LengthBasis::Percentiles:
      low_ = 1 - lengths.error;
      high_ = 1 + lengths.error;
      break;
    case LengthBasis::Moments:
      low_deviation_ = 1 - kMomentsError;
      high_deviation_ = 1 + kMomentsError;
      break;
    case LengthBasis::MeanAndPercentile:
    case LengthBasis::Mean:
      low_deviation_ = kLeastDeviation;
      high_deviation_ = kMostDeviation;
      break;
    case LengthBasis::TwoPercentiles:
      is_normal_ = true;
      margin_ = kTwoPercentilesMargin;
      low_ = 1 / kTwoPercentilesMost / kTwoPercentilesMargin;
      high_ = 1 / kTwoPercentilesLeast / kTwoPercentilesMargin;
      if (count <= kFewSequences && lengths.p95) {
        least_ = static_cast<double>(count) * units_of(*lengths.p95);
        least_level_ = kFewLevel;
      }
      break;
  }
}

double JointDemand::quantile(double level) const {
  const double plain =
      is_normal_ ? sum_.mean() + normal_quantile(level) * sum_.deviation() : sum_.quantile(level);
  return std::max({plain * margin_, level >= least_level_ ? least_ : 0, 0.0});
}

Spread JointDemand::bounded(double level) const {
  const double expected = quantile(level);
  const double plain =
      is_normal_ ? sum_.mean() + normal_quantile(level) * sum_.deviation() : sum_.quantile(level);
  const double beyond = std::max(0.0, plain - sum_.mean());
  const double low = (plain - beyond * (1 - low_deviation_)) * margin_ * low_;
  const double high = (plain + beyond * (high_deviation_ - 1)) * margin_ * high_;
  return {std::clamp(low, 0.0, expected), expected, std::max(high, expected)};
}

double JointDemand::above(double units) const {
  const double plain = units / margin_;
  if (is_normal_ && sum_.deviation() > 0)
    return normal_above((plain - sum_.mean()) / sum_.deviation());
  return sum_.above(plain);
}

double tokens_in_flight(const Lengths& lengths, std::int64_t count, double level) {
  return JointDemand(lengths, count, [](double tokens) { return tokens; }).quantile(level);
}

}  // namespace gpushape::estimate
