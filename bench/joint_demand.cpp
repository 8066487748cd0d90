// joint_demand TRACE…: the 99th percentile of the tokens that N sequences hold together, as the
// estimate has it, beside a bootstrap of the trace: N requests drawn with replacement, their
// prompts and answers added up, 20,000 times (the draws alone move that figure by about 1 %).
//
// The trace as a whole, and what is left when only some figures of it are known: mean and
// deviation, mean and P95, all percentiles of prompts and of answers, P50 and P95. Exit status 2
// where a file cannot be read, 1 where the trace as a whole is not within -8 % and +5 %.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "document/text_format.hpp"
#include "estimate/traffic/lengths.hpp"
#include "estimate/traffic/replay.hpp"
#include "estimate/traffic/token_demand.hpp"
#include "inventory/token_trace.hpp"

namespace {

using gpushape::domain::Lengths;
using gpushape::domain::TokenFigures;
using gpushape::domain::TokenRequest;
using gpushape::domain::TokenTrace;

constexpr std::array kSequences = {1, 2, 4, 8, 16, 32, 64, 128, 256};
constexpr std::array kRanks = {1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0};
constexpr int kDraws = 20'000;
constexpr double kLevel = 0.99;
constexpr double kLow = -0.08;
constexpr double kHigh = 0.05;

using LengthOf = std::function<double(const TokenRequest&)>;

std::vector<double> lengths_in(const TokenTrace& trace, const LengthOf& length_of) {
  std::vector<double> lengths;
  for (const TokenRequest& request : trace.requests) lengths.push_back(length_of(request));
  std::ranges::sort(lengths);
  return lengths;
}

double bootstrap(const std::vector<double>& lengths, int sequences) {
  std::mt19937_64 random(20'231'116);  // the day of the first trace
  std::uniform_int_distribution<std::size_t> pick(0, lengths.size() - 1);
  std::vector<double> sums(kDraws);
  for (double& sum : sums) {
    for (int i = 0; i < sequences; ++i) sum += lengths[pick(random)];
  }
  std::ranges::sort(sums);
  return sums[static_cast<std::size_t>(kLevel * kDraws)];
}

TokenFigures figures_of(const std::vector<double>& lengths, bool has_mean, bool has_deviation,
                        const std::vector<double>& ranks) {
  TokenFigures figures;
  double sum = 0;
  double squares = 0;
  for (const double length : lengths) {
    sum += length;
    squares += length * length;
  }
  const auto count = static_cast<double>(lengths.size());
  if (has_mean) figures.mean = sum / count;
  if (has_deviation) figures.deviation = std::sqrt(squares / count - sum / count * (sum / count));
  for (const double rank : ranks) {
    const auto nearest = static_cast<std::size_t>(std::ceil(rank / 100 * count)) - 1;
    figures.percentiles.push_back({.rank = rank, .tokens = lengths[nearest]});
  }
  return figures;
}

struct Known {
  std::string name;
  bool has_mean;
  bool has_deviation;
  std::vector<double> ranks;
};

/// Whether the row stays within the bar.
bool show(const std::string& name, const Lengths& lengths, const std::vector<double>& drawn) {
  bool is_within = true;
  std::string line = fmt::format("  {:<26}", name);
  for (const int& sequences : kSequences) {
    const double found = gpushape::estimate::tokens_in_flight(lengths, sequences, kLevel);
    const double error =
        found / drawn[static_cast<std::size_t>(&sequences - kSequences.data())] - 1;
    if (sequences >= 4) is_within = is_within && error >= kLow && error <= kHigh;
    line += fmt::format(" {:>+7.1f}%", 100 * error);
  }
  fmt::print("{}{}\n", line, is_within ? "" : "  outside");
  return is_within;
}

void show_figures(const TokenTrace& trace, const LengthOf& prompt, const LengthOf& answer,
                  const std::vector<double>& drawn, const std::string& of) {
  const std::vector<double> prompts = lengths_in(trace, prompt);
  const std::vector<double> answers = lengths_in(trace, answer);
  const std::vector<Known> known = {
      {"11 percentiles", false, false, {kRanks.begin(), kRanks.end()}},
      {"11 percentiles, mean", true, false, {kRanks.begin(), kRanks.end()}},
      {"P50 P90 P99", false, false, {50, 90, 99}},
      {"P50 P95 P99, mean", true, false, {50, 95, 99}},
      {"mean, deviation", true, true, {}},
      {"mean, P95", true, false, {95}},
      {"mean, P99", true, false, {99}},
      {"mean", true, false, {}},
      {"P50 P95", false, false, {50, 95}},
  };
  for (const Known& row : known) {
    show(row.name + of,
         gpushape::estimate::lengths_of_figures(
             figures_of(prompts, row.has_mean, row.has_deviation, row.ranks),
             figures_of(answers, row.has_mean, row.has_deviation, row.ranks)),
         drawn);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool is_within = true;
  for (int i = 1; i < argc; ++i) {
    const auto text = gpushape::document::read_log_file(argv[i]);
    const auto trace = text ? gpushape::inventory::read_token_trace(*text, argv[i])
                            : gpushape::Result<TokenTrace>(std::unexpected(text.error()));
    if (!trace) {
      fmt::print(stderr, "{}", gpushape::to_text(trace.error()));
      return 2;
    }
    const LengthOf prompt = [](const TokenRequest& r) {
      return static_cast<double>(r.input_tokens);
    };
    const LengthOf answer = [](const TokenRequest& r) {
      return static_cast<double>(r.output_tokens);
    };
    const LengthOf all = [](const TokenRequest& r) {
      return static_cast<double>(r.input_tokens + r.output_tokens);
    };
    const LengthOf nothing = [](const TokenRequest&) { return 0.0; };
    std::vector<double> drawn;
    const std::vector<double> totals = lengths_in(*trace, all);
    for (const int sequences : kSequences) drawn.push_back(bootstrap(totals, sequences));
    fmt::print("{}: {} requests\n  {:<26}", argv[i], trace->requests.size(), "sequences in flight");
    for (const int sequences : kSequences) fmt::print(" {:>8}", sequences);
    fmt::print("\n  {:<26}", "bootstrap P99");
    for (const double tokens : drawn) fmt::print(" {:>8.0f}", tokens);
    fmt::print("\n");
    is_within = show("trace", gpushape::estimate::lengths_of_trace(*trace), drawn) && is_within;
    show_figures(*trace, prompt, answer, drawn, "");
    show_figures(*trace, all, nothing, drawn, " (total)");
    if (!trace->has_times) continue;
    const auto replay = gpushape::estimate::replay_trace(*trace, 0.05);
    fmt::print(
        "  replayed at 50 ms a token: {:.1f} in flight, P99 {}, peak {}; tokens mean {:.0f}, "
        "P50 {:.0f}, P99 {:.0f}, peak {:.0f}\n",
        replay.mean_in_flight, replay.p99_in_flight, replay.peak_in_flight, replay.mean_tokens,
        replay.p50_tokens, replay.p99_tokens, replay.peak_tokens);
  }
  return is_within ? 0 : 1;
}
