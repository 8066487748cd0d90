#include "advise/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "advise/candidates.hpp"
#include "advise/rules.hpp"
#include "advise/words.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::advise {

using domain::DeviceTelemetry;
using domain::EngineTelemetry;
using domain::Evidence;
using domain::Fact;
using domain::Origin;

namespace {

constexpr double kLevel = 0.99;
constexpr std::int64_t kBlock = 16;      // vLLM's; what a sequence takes at least
constexpr double kUsualSequence = 1024;  // ours: where nobody counted those in flight

template <class T>
Fact<T> measured(T value, const std::string& from) {
  return {.value = std::move(value), .origin = Origin::Measured, .from = from};
}

Evidence level_of(double days, const Thresholds& thresholds) {
  return days >= thresholds.evidence_days.value ? Evidence::E2 : Evidence::E1;
}

void raise_evidence(Evidence level, const std::string& from, domain::Workload& workload) {
  const bool is_stated =
      workload.evidence.origin == Origin::Flag || workload.evidence.origin == Origin::File;
  if (!is_stated) workload.evidence = measured(level, from);
}

/// What the workload asks for in another way than it was measured; empty where nothing.
std::string changed_setting(const AdviceRequest& request) {
  const domain::Workload& workload = request.workload;
  if (request.telemetry && request.telemetry->kv_cache_type) {
    const domain::KvCacheType now = workload.kv_cache_type.value;
    const domain::KvCacheType then = *request.telemetry->kv_cache_type;
    if (now != then) {
      return fmt::format("the cache was {} when it was measured and is {} now", name_of(then),
                         name_of(now));
    }
  }
  for (const domain::Measurement& start : workload.measurements) {
    const auto differs = [](const std::optional<Fact<std::int64_t>>& asked, std::int64_t then) {
      return asked && then > 0 && asked->value != then;
    };
    if (request.model && start.model != request.model->id) continue;
    if (differs(workload.engine.max_num_seqs, start.max_num_seqs)) {
      return fmt::format("max-num-seqs was {} when it was measured and is {} now",
                         start.max_num_seqs, workload.engine.max_num_seqs->value);
    }
    if (differs(workload.engine.max_num_batched_tokens, start.max_num_batched_tokens)) {
      return fmt::format("max-num-batched-tokens was {} when it was measured and is {} now",
                         start.max_num_batched_tokens,
                         workload.engine.max_num_batched_tokens->value);
    }
  }
  return {};
}

std::string changed_weights(const AdviceRequest& request) {
  if (!request.model) return {};
  const domain::Quantization now = request.workload.quantization
                                       ? request.workload.quantization->value
                                       : request.model->weights.linear;
  for (const domain::Measurement& start : request.workload.measurements) {
    if (start.model != request.model->id || !start.quantization || *start.quantization == now)
      continue;
    return fmt::format("the weights were {} when it was measured and are {} now",
                       name_of(*start.quantization), name_of(now));
  }
  return {};
}

/// Tokens of the pool that was measured: told, or as the engine's own settings give it on the
/// device it ran on.
Result<std::int64_t> pool_of(const AdviceRequest& request, std::string& says) {
  const EngineTelemetry& telemetry = *request.telemetry;
  const Wish& wish = request.wishes.front();
  const domain::Profile* profile = nullptr;
  if (!request.measured_on.empty()) {
    const auto found = domain::find_profile(wish.device, request.measured_on);
    if (!found) return std::unexpected(found.error());
    profile = *found;
  }
  if (telemetry.pool_tokens) {
    says = "as the engine told";
    return *telemetry.pool_tokens;
  }
  domain::Workload workload = request.workload;
  if (!workload.concurrency) workload.concurrency = domain::defaulted<std::int64_t>(1);
  const Result<domain::Estimate> estimate = estimate::estimate_memory(
      *request.model, workload, *request.engine, domain::visible_memory(wish.device, profile));
  if (!estimate) return std::unexpected(estimate.error());
  const std::int64_t tokens = estimate->capacity ? estimate->capacity->kv_pool_tokens : 0;
  if (tokens <= 0) {
    return failure(
        fmt::format("the pool that was measured is not known: {} leaves no cache to {}",
                    wish.device.id, request.model->id),
        "add vllm:cache_config_info to the query, or name what it ran on with --measured-on");
  }
  says = fmt::format("as predicted for {} of {}",
                     profile == nullptr ? "the whole device" : std::string(plain_name(*profile)),
                     wish.device.id);
  return tokens;
}

bool was_full(const EngineTelemetry& telemetry, const Thresholds& thresholds) {
  const bool is_used_up = domain::quantile_of(telemetry.uses, kLevel) > thresholds.full_use.value &&
                          telemetry.days >= thresholds.full_use_days.value;
  return telemetry.preemptions.value_or(0) > 0 || is_used_up;
}

/// The measured moments as a trace that was played back: each one of so many sequences of a length.
domain::Replay replay_of(const EngineTelemetry& telemetry, double pool_tokens, double length,
                         bool is_full) {
  domain::Replay replay;
  const auto tokens_at = [&](double level) {
    return domain::quantile_of(telemetry.uses, level) * pool_tokens;
  };
  replay.p50_tokens = tokens_at(0.5);
  replay.p99_tokens = tokens_at(kLevel);
  replay.peak_tokens = tokens_at(1);
  for (const double use : telemetry.uses)
    replay.mean_tokens += use * pool_tokens / static_cast<double>(telemetry.uses.size());
  if (!telemetry.running.empty()) {
    for (const double running : telemetry.running)
      replay.mean_in_flight += running / static_cast<double>(telemetry.running.size());
    replay.p99_in_flight =
        static_cast<std::int64_t>(std::ceil(domain::quantile_of(telemetry.running, kLevel)));
    replay.peak_in_flight = static_cast<std::int64_t>(std::ceil(telemetry.running.back()));
  }
  replay.class_tokens = {length};
  // A pool that was full hides what would have been held beyond it: at least one sequence more.
  const double least = is_full ? pool_tokens + length : 0;
  const double top = domain::quantile_of(telemetry.uses, 1 - 2 * (1 - kLevel));
  for (const double use : telemetry.uses) {
    double tokens = use * pool_tokens;
    if (is_full && use >= top) tokens = std::max(tokens, least);
    replay.moments.push_back({{static_cast<float>(tokens / length)}});
  }
  return replay;
}

Result<void> take_engine(AdviceRequest& request) {
  const EngineTelemetry& telemetry = *request.telemetry;
  domain::Workload& workload = request.workload;
  std::string pool_says;
  const Result<std::int64_t> pool = pool_of(request, pool_says);
  if (!pool) return std::unexpected(pool.error());
  request.measured_pool_tokens = *pool;
  const auto pool_tokens = static_cast<double>(*pool);
  if (!workload.concurrency) {
    if (telemetry.running.empty()) return {};  // CM-01 asks for it
    const auto running =
        static_cast<std::int64_t>(std::ceil(domain::quantile_of(telemetry.running, kLevel)));
    workload.concurrency =
        measured(std::max<std::int64_t>(1, running),
                 fmt::format("P99 of the sequences in flight, {}", telemetry.from));
  }
  const std::string from = fmt::format("{} over {}", telemetry.from, days_text(telemetry.days));
  if (!changed_setting(request).empty()) {
    const bool is_stated = workload.evidence.origin == Origin::Flag;
    if (!is_stated) workload.evidence = measured(Evidence::E0, "EV-04: measured otherwise");
    return {};
  }
  raise_evidence(level_of(telemetry.days, request.thresholds), from, workload);
  if (!workload.context_tokens) return {};
  const double p99 = domain::quantile_of(telemetry.uses, kLevel) * pool_tokens;
  double length = telemetry.running.empty()
                      ? kUsualSequence
                      : p99 / static_cast<double>(workload.concurrency->value);
  length = std::clamp(length, static_cast<double>(kBlock),
                      static_cast<double>(workload.context_tokens->value));
  domain::InFlight in_flight;
  in_flight.sequences = workload.concurrency->value;
  in_flight.service_level = workload.traffic.service_level.value;
  in_flight.lengths.basis = domain::LengthBasis::Constant;
  in_flight.lengths.shares = {{length, 1}};
  in_flight.lengths.from =
      fmt::format("telemetry of {}, a pool of {} tokens {}", from, *pool, pool_says);
  in_flight.replay =
      replay_of(telemetry, pool_tokens, length, was_full(telemetry, request.thresholds));
  in_flight.is_sized_by_replay = true;
  workload.in_flight = std::make_shared<const domain::InFlight>(std::move(in_flight));
  return {};
}

/// Engines that serve take their pool before the first request: what the device then holds says
/// nothing of the need.
bool takes_all_at_start(const AdviceRequest& request) {
  return request.model.has_value() && request.engine && request.engine->name != "transformers" &&
         request.engine->name != "pytorch";
}

void take_device(AdviceRequest& request) {
  const DeviceTelemetry& usage = *request.usage;
  domain::Workload& workload = request.workload;
  const std::string from = fmt::format("{} over {}", usage.from, days_text(usage.days));
  if (usage.compute && !workload.compute_share)
    workload.compute_share = measured(*usage.compute, from);
  if (takes_all_at_start(request) || usage.used_bytes.empty()) return;
  raise_evidence(level_of(usage.days, request.thresholds), from, workload);
  const double p50 = domain::quantile_of(usage.used_bytes, 0.5);
  const double p99 = domain::quantile_of(usage.used_bytes, kLevel);
  if (!workload.spread && p50 > 0) workload.spread = measured(std::max(1.0, p99 / p50), from);
  if (request.model || workload.demand) return;
  domain::Demand demand;
  demand.ceiling_bytes = Bytes(static_cast<std::int64_t>(usage.used_bytes.back()));
  demand.from = from;
  workload.demand = demand;
}

}  // namespace

Result<AdviceRequest> with_evidence(const AdviceRequest& request) {
  AdviceRequest measured_request = request;
  if (request.telemetry && request.model && request.engine) {
    if (Result<void> taken = take_engine(measured_request); !taken)
      return std::unexpected(taken.error());
  }
  if (request.usage) take_device(measured_request);
  return measured_request;
}

void take_evidence(const AdviceRequest& request, const MeasuredShare& share, Facts& facts) {
  if (request.telemetry) {
    const EngineTelemetry& telemetry = *request.telemetry;
    facts.measured_days = telemetry.days;
    facts.pool_use = domain::quantile_of(telemetry.uses, kLevel);
    facts.preemptions = telemetry.preemptions.value_or(0);
    facts.pool_tokens = request.measured_pool_tokens;
    facts.measured_share_bytes = share.usable_bytes;
    facts.measured_share_says = share.says;
    facts.changed_setting = changed_setting(request);
    if (facts.changed_setting.empty()) facts.changed_weights = changed_weights(request);
  }
  if (!request.usage || request.usage->is_instance) return;
  facts.usage_days = request.usage->days;
  if (!takes_all_at_start(request) && !request.usage->used_bytes.empty())
    facts.peak_bytes = Bytes(static_cast<std::int64_t>(request.usage->used_bytes.back()));
}

}  // namespace gpushape::advise
