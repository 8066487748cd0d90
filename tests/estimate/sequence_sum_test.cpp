#include "estimate/traffic/sequence_sum.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "estimate/traffic/lengths.hpp"
#include "estimate/traffic/replay.hpp"
#include "estimate/traffic/token_demand.hpp"

using namespace gpushape;
using doctest::Approx;
using domain::TokenFigures;
using estimate::SequenceSum;
using estimate::tokens_in_flight;
using estimate::UnitShare;

namespace {

domain::Lengths of_total(const TokenFigures& figures) {
  return estimate::lengths_of_figures(figures, {.mean = 0, .deviation = 0, .percentiles = {}});
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("a sum of few sequences is counted out") {
    // 1 or 3 blocks, each half of the time; two of them: 2 (1/4), 4 (1/2), 6 (1/4).
    const std::array one = {UnitShare{1, 0.5}, UnitShare{3, 0.5}};
    const SequenceSum sum(one, 2);
    CHECK(sum.mean() == Approx(4));
    CHECK(sum.deviation() == Approx(std::sqrt(2)));
    CHECK(sum.quantile(0.25) == 2);
    CHECK(sum.quantile(0.5) == 4);
    CHECK(sum.quantile(0.76) == 6);
    CHECK(sum.above(4) == Approx(0.25));
    CHECK(sum.above(5.9) == Approx(0.25));
    CHECK(sum.above(6) == Approx(0).epsilon(1e-9));
  }

  TEST_CASE("a sum of coins is binomial, and normal when there are many") {
    const std::array coin = {UnitShare{0, 0.5}, UnitShare{1, 0.5}};
    // Binomial table, n = 10, p = 0.5: P(X <= 7) = 0.9453, P(X <= 8) = 0.9893, P(X <= 9) = 0.9990.
    CHECK(SequenceSum(coin, 10).quantile(0.98) == 8);
    CHECK(SequenceSum(coin, 10).quantile(0.99) == 9);
    CHECK(SequenceSum(coin, 10).above(7) == Approx(1 - 0.9453).epsilon(1e-3));
    // 4,000 coins: mean 2,000, deviation sqrt(1,000) = 31.62, times 2.326.
    CHECK(SequenceSum(coin, 4000).quantile(0.99) == Approx(2000 + 2.326 * 31.62).epsilon(1e-4));
  }

  TEST_CASE("sequences that are all alike have no distribution") {
    const std::array one = {UnitShare{100, 1}};
    const SequenceSum sum(one, 7);
    CHECK(sum.quantile(0.5) == 700);
    CHECK(sum.quantile(0.999) == 700);
    CHECK(sum.above(699) == 1);
    CHECK(sum.above(700) == 0);
  }

  TEST_CASE("a mean alone is an exponential distribution, whose sums are tabled") {
    // The sum of N exponentials of mean 1 is half a chi-square of 2N degrees. Its P99 in tables:
    // 8 degrees 20.090, 16 degrees 32.000, 64 degrees 93.217.
    const domain::Lengths lengths =
        of_total({.mean = 1000, .deviation = std::nullopt, .percentiles = {}});
    CHECK(lengths.basis == domain::LengthBasis::Mean);
    CHECK(tokens_in_flight(lengths, 4, 0.99) == Approx(10'045).epsilon(0.005));
    CHECK(tokens_in_flight(lengths, 8, 0.99) == Approx(16'000).epsilon(0.005));
    CHECK(tokens_in_flight(lengths, 32, 0.99) == Approx(46'608).epsilon(0.005));
  }

  TEST_CASE("mean and deviation are a gamma distribution") {
    // A deviation of mean / sqrt(2) is shape 2: four of them are shape 8, half a chi-square of 16
    // degrees times the scale of 500.
    const domain::Lengths lengths =
        of_total({.mean = 1000, .deviation = 1000 / std::sqrt(2), .percentiles = {}});
    CHECK(estimate::mean_of(lengths.shares) == Approx(1000).epsilon(1e-6));
    CHECK(estimate::deviation_of(lengths.shares) == Approx(707.1).epsilon(0.002));
    CHECK(tokens_in_flight(lengths, 4, 0.99) == Approx(8000).epsilon(0.005));
  }

  TEST_CASE("P50 and P95 are a lognormal with a tenth on top, and few sequences count at P95") {
    // Total of the Azure 2023 conversation trace: P50 1,412, P95 4,136.
    // sigma = ln(4136 / 1412) / 1.645 = 0.6533, mean = 1412 e^(sigma^2 / 2) = 1747.9,
    // sd = mean sqrt(e^(sigma^2) - 1) = 1275.3.
    const domain::Lengths lengths =
        of_total({.mean = {},
                  .deviation = {},
                  .percentiles = {{.rank = 50, .tokens = 1412}, {.rank = 95, .tokens = 4136}}});
    CHECK(lengths.basis == domain::LengthBasis::TwoPercentiles);
    // 1.10 x (8 x 1747.9 + 2.326 x 1275.3 x sqrt(8)) = 24,610
    CHECK(tokens_in_flight(lengths, 8, 0.99) == Approx(24'610).epsilon(0.003));
    // 4 x 4,136 is more than 1.10 x (4 x 1747.9 + 2.326 x 1275.3 x 2) = 14,217
    CHECK(tokens_in_flight(lengths, 4, 0.99) == Approx(16'544));
  }

  TEST_CASE("percentiles that are all the same are a constant") {
    const domain::Lengths lengths =
        of_total({.mean = {},
                  .deviation = {},
                  .percentiles = {{.rank = 50, .tokens = 800}, {.rank = 95, .tokens = 800}}});
    CHECK(lengths.basis == domain::LengthBasis::Constant);
    CHECK(tokens_in_flight(lengths, 10, 0.99) == 8000);
  }

  TEST_CASE("many shares are gathered without moving the mean or the deviation") {
    std::vector<domain::LengthShare> shares;
    for (int i = 1; i <= 10'000; ++i)
      shares.push_back({.tokens = static_cast<double>(i) * i, .share = 1e-4});
    const double mean = estimate::mean_of(shares);
    const double deviation = estimate::deviation_of(shares);
    const auto gathered = estimate::gather_shares(shares, 512);
    CHECK(gathered.size() <= 513);
    CHECK(estimate::mean_of(gathered) == Approx(mean).epsilon(1e-9));
    CHECK(estimate::deviation_of(gathered) == Approx(deviation).epsilon(1e-4));
  }

  TEST_CASE("a Poisson distribution has the quantiles of its table") {
    CHECK(estimate::poisson_quantile(1, 0.99) == 4);        // 0.9963, and 0.9810 for 3
    CHECK(estimate::poisson_quantile(10, 0.99) == 18);      // 0.9928, and 0.9857 for 17
    CHECK(estimate::poisson_quantile(59.724, 0.99) == 78);  // 0.9903, summed by hand
    CHECK(estimate::poisson_quantile(1e5, 0.5) == Approx(1e5).epsilon(1e-4));
  }

  TEST_CASE("a trace is played back second by second") {
    // 0.1 s a token. Two requests of 100 and 10 tokens, at 0 and 0.2 s; each reads its prompt in
    // one step and stays 1.1 s. A third at 2 s ends what is looked at.
    const domain::TokenTrace trace{.source = "made",
                                   .has_times = true,
                                   .requests = {{0, 100, 10}, {0.2, 100, 10}, {2, 100, 10}}};
    const domain::Replay replay = estimate::replay_trace(trace, 0.1);
    // 2 x 1.1 s of presence in 2 s.
    CHECK(replay.mean_in_flight == Approx(1.1));
    CHECK(replay.peak_in_flight == 2);
    // Each: 100 tokens for 0.1 s, then from 100 to 110 in 1 s: 115 token seconds.
    CHECK(replay.mean_tokens == Approx(115));
    // At 1.1 s the first has 110 and the second, 0.8 s into its answer, 108.
    CHECK(replay.peak_tokens == Approx(218));
  }

  TEST_CASE(
      "long answers stay longer, so those in flight are longer than a request is on average") {
    // Half of the answers are ten times as long: of those in flight, ten of eleven are.
    domain::TokenTrace trace{.source = "made", .has_times = true, .requests = {}};
    for (int i = 0; i < 2000; ++i)
      trace.requests.push_back({static_cast<double>(i), 0, i % 2 == 0 ? 100 : 1000});
    const domain::Replay replay = estimate::replay_trace(trace, 0.1);
    // Little's law: one request a second that stays (10 + 100) / 2 = 55 s.
    CHECK(replay.mean_in_flight == Approx(55).epsilon(0.05));
    // 50 long ones with 500 tokens so far and 5 short ones with 50, where plain requests at half of
    // their answer would have 55 x 275 = 15,125.
    CHECK(replay.mean_tokens == Approx(50 * 500 + 5 * 50).epsilon(0.05));
    CHECK(estimate::in_flight_at(replay, 0.99) == replay.peak_in_flight);
  }
}
