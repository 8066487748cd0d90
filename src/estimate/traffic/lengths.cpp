#include "estimate/traffic/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "estimate/traffic/normal.hpp"

namespace gpushape::estimate {

using domain::LengthBasis;
using domain::Lengths;
using domain::LengthShare;
using domain::Percentile;
using domain::TokenFigures;

namespace {

using Shares = std::vector<LengthShare>;

// Ours: with so many classes a sum's P99 moves by less than 0.1 % (bench/joint_demand).
constexpr std::size_t kClasses = 2048;
constexpr std::size_t kClassesOfOne = 160;  // of prompts or answers before they are joined
constexpr int kPoints = 1024;               // of a density

void scale_shares(Shares& shares) {
  double sum = 0;
  for (const LengthShare& share : shares) sum += share.share;
  for (LengthShare& share : shares) share.share /= sum;
}

/// A density over the logarithm of the length, which is smooth where the length's own is not.
/// `below` is the weight of all that lies below `least`.
Shares shares_of_density(double least, double most, double below,
                         const std::function<double(double)>& weight_at_log) {
  Shares shares;
  const double first = std::log(least);
  const double step = (std::log(most) - first) / (kPoints - 1);
  if (below > 0) shares.push_back({.tokens = least / 2, .share = below / step});
  for (int point = 0; point < kPoints; ++point) {
    const double at = first + step * point;
    shares.push_back({.tokens = std::exp(at), .share = weight_at_log(at)});
  }
  scale_shares(shares);
  return shares;
}

void move_mean(Shares& shares, double mean) {
  const double factor = mean / mean_of(shares);
  for (LengthShare& share : shares) share.tokens *= factor;
}

/// x^(k-1) e^(-x/t) dx with x = e^u is e^(k u - e^u / t) du. Below the least point e^(-x/t) is 1
/// and the rest integrates to x^k / k.
Shares gamma_shares(double mean, double deviation) {
  const double shape = mean * mean / (deviation * deviation);
  const double scale = mean / shape;
  constexpr double kLeast = 1e-5;  // of the mean
  const double least = std::max(mean * kLeast, mean - 9 * deviation);
  const double most = mean + 12 * deviation + 30 * scale;
  const double peak = shape * std::log(mean) - shape;
  const double below = least > mean * kLeast ? 0 : std::exp(shape * std::log(least) - peak) / shape;
  Shares shares = shares_of_density(least, most, below, [&](double at) {
    return std::exp(shape * at - std::exp(at) / scale - peak);
  });
  move_mean(shares, mean);
  return shares;
}

Shares lognormal_shares(double middle_log, double sigma) {
  constexpr double kReach = 7;  // standard deviations: 1e-12 lies outside
  Shares shares = shares_of_density(std::exp(middle_log - kReach * sigma),
                                    std::exp(middle_log + kReach * sigma), 0, [&](double at) {
                                      const double z = (at - middle_log) / sigma;
                                      return std::exp(-z * z / 2);
                                    });
  move_mean(shares, std::exp(middle_log + sigma * sigma / 2));
  return shares;
}

/// Between two percentiles, lengths rise from `low` to `high` with the power `bend` of the rank: 1
/// is a straight line, and with more of it most are near the lower one.
void add_stretch(Shares& shares, double share, double low, double high, double bend) {
  constexpr int kParts = 16;
  double below = 0;
  for (int part = 1; part <= kParts; ++part) {
    // The mean of each part: the integral of x^bend over it.
    const double up_to = std::pow(static_cast<double>(part) / kParts, bend + 1) / (bend + 1);
    shares.push_back(
        {.tokens = low + (high - low) * (up_to - below) * kParts, .share = share / kParts});
    below = up_to;
  }
}

/// Past the last known percentile lengths fall off as they did before it, and end at the longest.
void add_tail(Shares& shares, const Percentile& before, const Percentile& last, double longest) {
  const double slope =
      (last.tokens - before.tokens) / std::log((100 - before.rank) / (100 - last.rank));
  constexpr int kParts = 64;
  const double share = (100 - last.rank) / 100;
  for (int part = 0; part < kParts; ++part) {
    const double left = 1 - (part + 0.5) / kParts;
    shares.push_back({.tokens = std::min(longest, last.tokens - slope * std::log(left)),
                      .share = share / kParts});
  }
}

Shares percentile_shares(const std::vector<Percentile>& percentiles, double bend) {
  Shares shares;
  Percentile before{.rank = 0, .tokens = 0};
  Percentile earlier = before;
  double longest = INFINITY;
  for (const Percentile& here : percentiles) {
    if (here.rank >= 100) {
      longest = here.tokens;
      break;
    }
    if (here.rank > before.rank)
      add_stretch(shares, (here.rank - before.rank) / 100, before.tokens, here.tokens, bend);
    if (here.rank > 0) earlier = before;
    before = here;
  }
  add_tail(shares, earlier, before, longest);
  std::ranges::sort(shares, {}, &LengthShare::tokens);
  return shares;
}

// Ours, measured with bench/joint_demand: with it eleven percentiles of two published traces give
// sums within -2.4 and +2.5 %, three with their mean within 8 % and without it within 16 %.
constexpr double kUsualBend = 1.2;
constexpr std::size_t kManyPercentiles = 6;
constexpr double kErrorOfMany = 0.05;
constexpr double kErrorOfFewWithMean = 0.1;
constexpr double kErrorOfFew = 0.2;

double error_of(const TokenFigures& figures) {
  if (figures.percentiles.size() >= kManyPercentiles) return kErrorOfMany;
  return figures.mean ? kErrorOfFewWithMean : kErrorOfFew;
}

/// A mean that is known as well tells how lengths rise between the percentiles.
Shares percentile_shares(const TokenFigures& figures) {
  if (!figures.mean) return percentile_shares(figures.percentiles, kUsualBend);
  double low = 0.05;
  double high = 20;
  constexpr int kHalvings = 40;
  for (int step = 0; step < kHalvings; ++step) {
    const double middle = std::sqrt(low * high);
    const bool is_long = mean_of(percentile_shares(figures.percentiles, middle)) > *figures.mean;
    (is_long ? low : high) = middle;
  }
  Shares shares = percentile_shares(figures.percentiles, low);
  move_mean(shares, *figures.mean);  // where no such rise has that mean
  return shares;
}

/// The deviation with which a gamma distribution of this mean has the percentile: above the middle
/// it grows with the deviation, up to the point where most sequences are short.
double deviation_through(double mean, const Percentile& percentile) {
  double low = 0.01;  // of the mean
  double high = 2;
  constexpr int kHalvings = 40;
  for (int step = 0; step < kHalvings; ++step) {
    const double middle = (low + high) / 2;
    const bool is_short =
        percentile_of(gamma_shares(mean, middle * mean), percentile.rank) < percentile.tokens;
    (is_short ? low : high) = middle;
  }
  return mean * (low + high) / 2;
}

/// P95 as stated or as the distribution has it.
double stated_p95(const TokenFigures& figures, const Shares& shares) {
  const auto found = std::ranges::find(figures.percentiles, 95, &Percentile::rank);
  return found != figures.percentiles.end() ? found->tokens : percentile_of(shares, 95);
}

/// Of a prompt or of an answer.
Lengths lengths_of_one(const TokenFigures& figures) {
  Lengths lengths;
  const std::vector<Percentile>& percentiles = figures.percentiles;
  const auto tail = std::ranges::find_if(
      percentiles.rbegin(), percentiles.rend(),
      [](const Percentile& percentile) { return percentile.rank > 50 && percentile.rank < 100; });
  const bool is_flat = !percentiles.empty() &&
                       percentiles.front().tokens == percentiles.back().tokens &&
                       percentiles.size() > 1;
  if (!percentiles.empty() && percentiles.back().rank >= 100)
    lengths.longest = percentiles.back().tokens;
  if (figures.deviation == 0.0 || figures.mean == 0.0 || is_flat) {
    const double tokens = is_flat ? percentiles.back().tokens : figures.mean.value_or(0);
    lengths.shares = {{.tokens = tokens, .share = 1}};
    lengths.longest = tokens;
  } else if (percentiles.size() >= 3) {
    lengths.basis = LengthBasis::Percentiles;
    lengths.shares = percentile_shares(figures);
    lengths.error = error_of(figures);
  } else if (figures.mean && figures.deviation) {
    lengths.basis = LengthBasis::Moments;
    lengths.shares = gamma_shares(*figures.mean, *figures.deviation);
  } else if (figures.mean && tail != percentiles.rend()) {
    lengths.basis = LengthBasis::MeanAndPercentile;
    lengths.shares = gamma_shares(*figures.mean, deviation_through(*figures.mean, *tail));
  } else if (figures.mean) {
    lengths.basis = LengthBasis::Mean;
    lengths.shares = gamma_shares(*figures.mean, *figures.mean);
  } else {
    lengths.basis = LengthBasis::TwoPercentiles;
    const Percentile& low = percentiles.front();
    const Percentile& high = percentiles.back();
    const double low_z = normal_quantile(low.rank / 100);
    const double high_z = normal_quantile(high.rank / 100);
    const double sigma = std::log(high.tokens / low.tokens) / (high_z - low_z);
    lengths.shares = lognormal_shares(std::log(low.tokens) - low_z * sigma, sigma);
  }
  lengths.p95 = stated_p95(figures, lengths.shares);
  return lengths;
}

// Ours: of a part that has less of the tokens, it does not matter how well it is known.
constexpr double kPartThatMatters = 0.2;

/// What is known least of decides how near the sum can be told.
LengthBasis basis_of_both(const Lengths& a, const Lengths& b) {
  const double mean_a = mean_of(a.shares);
  const double mean_b = mean_of(b.shares);
  const double least = kPartThatMatters * (mean_a + mean_b);
  if (mean_b < least) return a.basis == LengthBasis::Constant ? b.basis : a.basis;
  if (mean_a < least) return b.basis == LengthBasis::Constant ? a.basis : b.basis;
  return std::max(a.basis, b.basis);
}

}  // namespace

double mean_of(std::span<const LengthShare> shares) {
  double mean = 0;
  for (const LengthShare& share : shares) mean += share.tokens * share.share;
  return mean;
}

double deviation_of(std::span<const LengthShare> shares) {
  const double mean = mean_of(shares);
  double sum = 0;
  for (const LengthShare& share : shares)
    sum += (share.tokens - mean) * (share.tokens - mean) * share.share;
  return std::sqrt(sum);
}

double percentile_of(std::span<const LengthShare> shares, double rank) {
  double below = 0;
  for (const LengthShare& share : shares) {
    below += share.share;
    if (below * 100 >= rank - 1e-9) return share.tokens;
  }
  return shares.empty() ? 0 : shares.back().tokens;
}

Shares gather_shares(Shares shares, std::size_t classes) {
  if (shares.size() <= classes) return shares;
  double squares = 0;
  for (const LengthShare& share : shares) squares += share.tokens * share.tokens * share.share;
  // Half of the classes by how many sequences there are, half by what they add to the variance.
  const auto weight_of = [&](const LengthShare& share) {
    const double of_variance = squares > 0 ? share.tokens * share.tokens / squares : 0;
    return share.share * (0.5 + 0.5 * of_variance);
  };
  Shares gathered;
  LengthShare open;
  double weight = 0;
  for (const LengthShare& share : shares) {
    open.tokens += share.tokens * share.share;
    open.share += share.share;
    weight += weight_of(share);
    if (weight * static_cast<double>(classes) < static_cast<double>(gathered.size() + 1)) continue;
    gathered.push_back({.tokens = open.tokens / open.share, .share = open.share});
    open = {};
  }
  if (open.share > 0) gathered.push_back({.tokens = open.tokens / open.share, .share = open.share});
  return gathered;
}

Lengths lengths_of_trace(const domain::TokenTrace& trace) {
  std::vector<std::int64_t> totals;
  totals.reserve(trace.requests.size());
  for (const domain::TokenRequest& request : trace.requests)
    totals.push_back(request.input_tokens + request.output_tokens);
  std::ranges::sort(totals);
  const auto count = static_cast<double>(totals.size());
  Shares shares;
  for (std::size_t i = 0; i < totals.size();) {
    const std::size_t first = i;
    while (i < totals.size() && totals[i] == totals[first]) ++i;
    shares.push_back({.tokens = static_cast<double>(totals[first]),
                      .share = static_cast<double>(i - first) / count});
  }
  Lengths lengths;
  lengths.basis = LengthBasis::Trace;
  lengths.samples = static_cast<std::int64_t>(totals.size());
  lengths.longest = static_cast<double>(totals.back());
  lengths.shares = gather_shares(std::move(shares), kClasses);
  return lengths;
}

Lengths lengths_of_figures(const TokenFigures& input, const TokenFigures& output) {
  Lengths of_input = lengths_of_one(input);
  Lengths of_output = lengths_of_one(output);
  Lengths lengths;
  lengths.basis = basis_of_both(of_input, of_output);
  if (of_input.longest && of_output.longest)
    lengths.longest = *of_input.longest + *of_output.longest;
  lengths.p95 = *of_input.p95 + *of_output.p95;
  lengths.error = std::max(of_input.error, of_output.error);
  // Where one of the two has one length, the other keeps all its own.
  const bool is_joined = of_input.shares.size() > 1 && of_output.shares.size() > 1;
  const std::size_t classes = is_joined ? kClassesOfOne : kClasses;
  const Shares prompts = gather_shares(std::move(of_input.shares), classes);
  const Shares answers = gather_shares(std::move(of_output.shares), classes);
  Shares shares;
  shares.reserve(prompts.size() * answers.size());
  for (const LengthShare& prompt : prompts) {
    for (const LengthShare& answer : answers)
      shares.push_back(
          {.tokens = prompt.tokens + answer.tokens, .share = prompt.share * answer.share});
  }
  std::ranges::sort(shares, {}, &LengthShare::tokens);
  lengths.shares = gather_shares(std::move(shares), kClasses);
  return lengths;
}

}  // namespace gpushape::estimate
