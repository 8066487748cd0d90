// What a workload's requests look like, and what that makes of the sequences in flight.
//
// Traffic holds what somebody stated: lengths of prompts and answers, a rate, a recorded trace.
// InFlight is what follows from it: how many sequences are in flight and how many tokens each may
// hold, as a distribution. The estimate takes the quantile of their sum (consumption-rules.md,
// section 7); a Workload carries it so that it is worked out once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "domain/fact.hpp"

namespace gpushape::domain {

struct Percentile {
  double rank = 0;  ///< 95 for P95; 100 is the longest
  double tokens = 0;

  bool operator==(const Percentile&) const = default;
};

/// The length of a prompt or of an answer, as far as it is known. A plain number is a mean with a
/// deviation of 0.
struct TokenFigures {
  std::optional<double> mean;
  std::optional<double> deviation;
  std::vector<Percentile> percentiles;  ///< ascending by rank, and by tokens

  bool operator==(const TokenFigures&) const = default;
};

struct TokenRequest {
  double seconds = 0;  ///< of its arrival, from the first one; 0 where the trace has no times
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;

  bool operator==(const TokenRequest&) const = default;
};

/// Recorded requests, in the order of their arrival.
struct TokenTrace {
  std::string source;  ///< file
  bool has_times = false;
  std::vector<TokenRequest> requests;

  bool operator==(const TokenTrace&) const = default;
};

/// A part of the sequences that have about this length, prompt and answer together.
struct LengthShare {
  double tokens = 0;
  double share = 0;  ///< all shares add up to 1

  bool operator==(const LengthShare&) const = default;
};

/// What is known of the lengths: how near their sum can be told.
enum class LengthBasis {
  Constant,           ///< one length
  Trace,              ///< recorded requests
  Moments,            ///< mean and deviation
  Percentiles,        ///< three percentiles or more
  MeanAndPercentile,  ///< a mean, and how far the long ones are from it
  Mean,               ///< nothing but a mean
  TwoPercentiles,     ///< P50 and P95, or two others
};

struct Lengths {
  LengthBasis basis = LengthBasis::Constant;
  std::vector<LengthShare> shares;  ///< ascending by tokens
  std::int64_t samples = 0;         ///< recorded requests that they rest on; 0 for none
  double error = 0;                 ///< of percentiles: how far a sum may be off, as a part of it
  std::optional<double> p95;        ///< as stated, where the basis is TwoPercentiles
  std::optional<double> longest;    ///< where it is known
  std::string from;                 ///< "--token-trace azure.csv"

  bool operator==(const Lengths&) const = default;
};

/// A trace played back with every request admitted as it comes.
struct Replay {
  /// One moment: how many sequences of each class are in flight.
  struct Moment {
    std::vector<float> counts;

    bool operator==(const Moment&) const = default;
  };
  double token_seconds = 0;   ///< between two tokens of an answer
  double mean_in_flight = 0;  ///< over time
  std::int64_t p99_in_flight = 0;
  std::int64_t peak_in_flight = 0;
  double mean_tokens = 0;  ///< that are resident, over time
  double p50_tokens = 0;
  double p99_tokens = 0;
  double peak_tokens = 0;
  std::vector<double> class_tokens;  ///< what a sequence of each class holds on average
  std::vector<Moment> moments;       ///< equally far apart

  bool operator==(const Replay&) const = default;
};

struct InFlight {
  std::int64_t sequences = 0;       ///< that the replay or the rate stands for
  double service_level = 0.99;      ///< part of the time that the memory must do
  Lengths lengths;                  ///< of a request at its end
  std::optional<Replay> replay;     ///< of a trace with times
  bool is_sized_by_replay = false;  ///< the replay decides, because nobody said how many
  std::vector<std::string> notes;

  bool operator==(const InFlight&) const = default;
};

/// As stated.
struct Traffic {
  std::optional<Fact<TokenFigures>> input_tokens;
  std::optional<Fact<TokenFigures>> output_tokens;
  std::optional<Fact<std::string>> trace_file;
  std::optional<Fact<double>> request_rate;     ///< a second
  std::optional<Fact<double>> request_seconds;  ///< that a request stays in flight
  /// Tokens that every prompt begins with.
  std::optional<Fact<std::int64_t>> common_prefix_tokens;
  Fact<double> service_level = defaulted(0.99, "P99 of the sequences in flight");
  Fact<double> token_seconds = defaulted(0.05, "50 ms between two tokens of an answer");

  bool operator==(const Traffic&) const = default;
};

/// What the traffic asks of the cache of one GPU.
struct CacheDemand {
  std::int64_t sequences = 0;
  double service_level = 0;
  LengthBasis basis = LengthBasis::Constant;
  std::string from;
  double mean_tokens = 0;  ///< of one sequence at its end
  double deviation_tokens = 0;
  double p50_tokens = 0;
  double p95_tokens = 0;
  double p99_tokens = 0;
  std::optional<double> longest_tokens;
  std::optional<double> cut_share;  ///< of the requests: longer than the context, counted as such
  double together_p50_tokens = 0;   ///< of all sequences
  double together_p99_tokens = 0;
  double together_level_tokens = 0;
  double together_worst_tokens = 0;
  Bytes p50_bytes;  ///< of all sequences, on one GPU
  Bytes p99_bytes;
  Bytes level_bytes;                 ///< at the service level
  std::optional<Bytes> worst_bytes;  ///< every sequence at the full context
  std::optional<double> spread;      ///< P99 / P50
  std::int64_t common_prefix_tokens = 0;
  Bytes shared_bytes;  ///< of the common prefix, which is there once
  /// Part of the time that the pool would not do: at its expected and at its low size.
  std::optional<double> shortage;
  std::optional<double> shortage_at_low;
  std::optional<Replay> replay;  ///< without its moments
  bool is_sized_by_replay = false;
  // As stated, or their defaults; where they took part.
  std::optional<Fact<double>> stated_level;
  std::optional<Fact<double>> stated_token_seconds;
  std::optional<Fact<std::int64_t>> stated_prefix_tokens;

  bool operator==(const CacheDemand&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::LengthBasis> = std::to_array<NameRow<domain::LengthBasis>>({
    {domain::LengthBasis::Constant, "constant", "one length"},
    {domain::LengthBasis::Trace, "trace", "recorded requests"},
    {domain::LengthBasis::Moments, "mean-and-deviation", "a gamma distribution"},
    {domain::LengthBasis::Percentiles, "percentiles", "three percentiles or more"},
    {domain::LengthBasis::MeanAndPercentile, "mean-and-percentile",
     "a gamma distribution through one percentile"},
    {domain::LengthBasis::Mean, "mean", "an exponential distribution"},
    {domain::LengthBasis::TwoPercentiles, "two-percentiles",
     "a lognormal distribution through both, and a tenth on top"},
});
}  // namespace gpushape
