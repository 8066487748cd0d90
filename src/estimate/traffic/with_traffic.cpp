#include "estimate/traffic/with_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "estimate/division.hpp"
#include "estimate/traffic/lengths.hpp"
#include "estimate/traffic/replay.hpp"

namespace gpushape::estimate {

using domain::Fact;
using domain::InFlight;
using domain::LengthBasis;
using domain::Origin;
using domain::TokenFigures;
using domain::TokenTrace;
using domain::Traffic;
using domain::Workload;

namespace {

constexpr double kLongRank = 99.9;  // ours: stands for the longest where nobody knows it
constexpr std::int64_t kContextUnit = 1024;
constexpr double kMostInFlight = 1e6;

bool holds_no_answers(const Workload& workload, const domain::Model* model) {
  std::optional<domain::Role> role;
  if (model != nullptr) role = model->role;
  if (workload.role) role = workload.role->value;
  return role == domain::Role::Embed || role == domain::Role::Rerank;
}

std::string_view given_by(const Fact<TokenFigures>& fact) { return fact.from; }

Diagnostics complaints_about_traffic(const Workload& workload, const TokenTrace* trace,
                                     const domain::Model* model) {
  const Traffic& traffic = workload.traffic;
  Diagnostics complaints;
  if (trace != nullptr && (traffic.input_tokens || traffic.output_tokens)) {
    complaints.push_back(complaint(
        fmt::format(
            "{} and {} both say how long requests are", traffic.trace_file->from,
            given_by(traffic.input_tokens ? *traffic.input_tokens : *traffic.output_tokens)),
        "leave one of them out"));
  }
  if (traffic.output_tokens && !traffic.input_tokens) {
    complaints.push_back(
        complaint(fmt::format("{} says how long answers are, and nothing how long prompts are",
                              given_by(*traffic.output_tokens)),
                  "state --input-tokens as well"));
  }
  if (traffic.input_tokens && !traffic.output_tokens && !holds_no_answers(workload, model)) {
    complaints.push_back(
        complaint(fmt::format("{} says how long prompts are, and nothing how long answers are",
                              given_by(*traffic.input_tokens)),
                  "state --output-tokens as well"));
  }
  const bool knows_answers = trace != nullptr || traffic.output_tokens;
  if (traffic.request_rate && !traffic.request_seconds && !workload.concurrency && !knows_answers) {
    complaints.push_back(
        complaint(fmt::format("{} says how many requests come, and nothing how long one stays",
                              traffic.request_rate->from),
                  "state --request-seconds, or --output-tokens for an estimate of it"));
  }
  if (traffic.request_seconds && !traffic.request_rate) {
    complaints.push_back(
        complaint(fmt::format("{} says how long a request stays, and nothing how many come",
                              traffic.request_seconds->from),
                  "state --request-rate as well"));
  }
  return complaints;
}

std::string basis_text(const domain::Lengths& lengths, const Traffic& traffic,
                       const TokenTrace* trace) {
  if (trace != nullptr) return fmt::format("the requests of {}", trace->source);
  std::string from(given_by(*traffic.input_tokens));
  if (traffic.output_tokens) from += fmt::format(" and {}", given_by(*traffic.output_tokens));
  const std::string_view what = [&]() -> std::string_view {
    for (const auto& row : kNames<LengthBasis>) {
      if (row.value == lengths.basis) return row.description;
    }
    return {};
  }();
  const bool are_joined = traffic.output_tokens && traffic.input_tokens->value.deviation != 0.0 &&
                          traffic.output_tokens->value.deviation != 0.0;
  return fmt::format("{}: {}{}", from, what,
                     are_joined ? ", prompts and answers independent of each other" : "");
}

domain::Lengths lengths_of(const Traffic& traffic, const TokenTrace* trace) {
  domain::Lengths lengths;
  if (trace != nullptr) {
    lengths = lengths_of_trace(*trace);
  } else if (traffic.input_tokens) {
    const TokenFigures none{.mean = 0, .deviation = 0, .percentiles = {}};
    lengths = lengths_of_figures(traffic.input_tokens->value,
                                 traffic.output_tokens ? traffic.output_tokens->value : none);
  } else {
    return lengths;
  }
  lengths.from = basis_text(lengths, traffic, trace);
  return lengths;
}

/// Tokens of an answer on average.
double mean_answer(const Traffic& traffic, const TokenTrace* trace) {
  if (trace != nullptr) {
    double sum = 0;
    for (const domain::TokenRequest& request : trace->requests)
      sum += static_cast<double>(request.output_tokens);
    return sum / static_cast<double>(trace->requests.size());
  }
  const TokenFigures none{.mean = 0, .deviation = 0, .percentiles = {}};
  return mean_of(lengths_of_figures(none, traffic.output_tokens->value).shares);
}

/// Seconds that a request stays in flight, and why.
Fact<double> residence_of(const Traffic& traffic, const TokenTrace* trace) {
  if (traffic.request_seconds) return *traffic.request_seconds;
  const double answer = mean_answer(traffic, trace);
  return {
      .value = answer * traffic.token_seconds.value,
      .origin = Origin::Computed,
      .from = fmt::format("{:.0f} tokens of answer x {:g} s", answer, traffic.token_seconds.value)};
}

std::string level_text(double level) { return fmt::format("P{:g}", level * 100); }

Fact<std::int64_t> in_flight_by_rate(const Traffic& traffic, const TokenTrace* trace) {
  const Fact<double> seconds = residence_of(traffic, trace);
  const double mean = traffic.request_rate->value * seconds.value;
  const double level = traffic.service_level.value;
  const std::int64_t count =
      std::max<std::int64_t>(1, poisson_quantile(std::max(mean, 1e-9), level));
  return {.value = count,
          .origin = Origin::Computed,
          .from = fmt::format("Little's law: {:g}/s x {:g} s = {:.1f} on average, {} of a Poisson "
                              "distribution",
                              traffic.request_rate->value, seconds.value, mean, level_text(level))};
}

Fact<std::int64_t> in_flight_by_replay(const domain::Replay& replay, const Traffic& traffic,
                                       const std::string& source) {
  const double level = traffic.service_level.value;
  return {.value = in_flight_at(replay, level),
          .origin = Origin::Computed,
          .from = fmt::format("{} played back at {:g} s a token: {:.1f} on average, {} of the time",
                              source, traffic.token_seconds.value, replay.mean_in_flight,
                              level_text(level))};
}

/// The concurrency that was stated stays; beside it the rate says what it would have given.
void note_rate(const Workload& workload, const TokenTrace* trace, InFlight& in_flight) {
  const Traffic& traffic = workload.traffic;
  const bool knows_seconds =
      traffic.request_seconds || trace != nullptr || traffic.output_tokens.has_value();
  if (!traffic.request_rate || !knows_seconds) return;
  const Fact<std::int64_t> by_rate = in_flight_by_rate(traffic, trace);
  in_flight.notes.push_back(
      fmt::format("{} in flight are taken as stated: a measured peak wins over the rate, by which "
                  "there would be {} ({})",
                  workload.concurrency->value, by_rate.value, by_rate.from));
}

Fact<std::int64_t> context_by(const domain::Lengths& lengths, const domain::Model* model) {
  Fact<std::int64_t> context{.value = 1, .origin = Origin::Computed, .from = {}};
  if (lengths.longest) {
    context.value = std::max<std::int64_t>(1, std::llround(std::ceil(*lengths.longest)));
    context.from = "the longest request that is known of";
  } else {
    const double longest = percentile_of(lengths.shares, kLongRank);
    context.value = divide_up(std::llround(std::ceil(longest)), kContextUnit) * kContextUnit;
    context.from =
        fmt::format("P{:g} of a request's tokens, in steps of {}", kLongRank, kContextUnit);
  }
  const std::int64_t most = model != nullptr ? model->max_context_tokens : 0;
  if (most > 0 && context.value > most) {
    context.from = fmt::format("the model's longest; {} has {}", context.from, context.value);
    context.value = most;
  }
  return context;
}

}  // namespace

Result<Workload> with_traffic(Workload workload, const TokenTrace* trace,
                              const domain::Model* model) {
  const Traffic& traffic = workload.traffic;
  if (Diagnostics complaints = complaints_about_traffic(workload, trace, model);
      !complaints.empty())
    return failure(std::move(complaints));
  InFlight in_flight;
  in_flight.service_level = traffic.service_level.value;
  in_flight.lengths = lengths_of(traffic, trace);
  const bool has_lengths = !in_flight.lengths.shares.empty();
  if (!has_lengths && !traffic.request_rate) return workload;

  if (trace != nullptr && trace->has_times)
    in_flight.replay = replay_trace(*trace, traffic.token_seconds.value);
  if (workload.concurrency) {
    note_rate(workload, trace, in_flight);
  } else if (traffic.request_rate) {
    const double mean = traffic.request_rate->value * residence_of(traffic, trace).value;
    if (mean > kMostInFlight) {
      return failure(fmt::format("{:g} requests would be in flight on average, above the most that "
                                 "makes sense, {:g}",
                                 mean, kMostInFlight),
                     "check --request-rate (a second) and --request-seconds");
    }
    workload.concurrency = in_flight_by_rate(traffic, trace);
  } else if (in_flight.replay) {
    workload.concurrency = in_flight_by_replay(*in_flight.replay, traffic, trace->source);
    in_flight.is_sized_by_replay = true;
  }
  if (workload.concurrency) in_flight.sequences = workload.concurrency->value;
  if (has_lengths && !workload.context_tokens)
    workload.context_tokens = context_by(in_flight.lengths, model);
  // What was recorded of real requests is more than a declaration; it says nothing of a GPU.
  if (in_flight.replay && workload.evidence.origin == Origin::Default)
    workload.evidence = {domain::Evidence::E1, Origin::Measured,
                         fmt::format("requests recorded in {}", trace->source)};
  workload.in_flight = std::make_shared<const InFlight>(std::move(in_flight));
  return workload;
}

}  // namespace gpushape::estimate
