#include "advise/measured_share.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "advise/candidates.hpp"
#include "advise/words.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::advise {

namespace {

/// Ours, of the logarithm: the batch that it ran with is not told and moves the pool of a small
/// share by up to a quarter; the next size of the table is half as large again.
constexpr double kSameSize = 0.3;

/// Tokens that the engine would have told of on this memory; 0 where it gives none.
std::int64_t predicted_pool(const AdviceRequest& request, const domain::VisibleMemory& memory) {
  domain::Workload workload = request.workload;
  if (!workload.concurrency) workload.concurrency = domain::defaulted<std::int64_t>(1);
  const auto& share = request.telemetry->utilization;
  if (share && !workload.engine.gpu_memory_utilization) {
    workload.engine.gpu_memory_utilization = domain::Fact<double>{
        .value = *share, .origin = domain::Origin::Measured, .from = request.telemetry->from};
  }
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*request.model, workload, *request.engine, memory);
  return estimate && estimate->capacity ? estimate->capacity->kv_pool_tokens : 0;
}

struct Match {
  const Candidate* candidate = nullptr;
  std::int64_t tokens = 0;
  double distance = kSameSize;
};

void hold(const AdviceRequest& request, const Wish& wish, const Candidate& candidate, Match& best) {
  const std::int64_t tokens =
      predicted_pool(request, domain::visible_memory(wish.device, candidate.profile));
  if (tokens <= 0) return;
  const double distance = std::abs(
      std::log(static_cast<double>(tokens) / static_cast<double>(*request.telemetry->pool_tokens)));
  if (distance < best.distance) best = {&candidate, tokens, distance};
}

/// A pool does not tell a vGPU from a MIG instance of about the same memory.
std::string sizes_alike(const std::vector<Candidate>& fractions, const Candidate& best) {
  constexpr double kAlike = 0.1;  // ours: sizes of one catalog lie further apart
  const auto bytes = static_cast<double>(best.shape.memory_bytes.count());
  std::vector<std::string> names;
  for (const Candidate& fraction : fractions) {
    const auto other = static_cast<double>(fraction.shape.memory_bytes.count());
    if (std::abs(other - bytes) <= kAlike * bytes) names.push_back(fraction.shape.profile_short);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace

MeasuredShare measured_share(const AdviceRequest& request) {
  if (!request.telemetry || request.wishes.empty()) return {};
  const Wish& wish = request.wishes.front();
  if (!request.measured_on.empty()) {
    const auto ran_on = domain::find_profile(wish.device, request.measured_on);
    if (!ran_on) return {};
    return {(*ran_on)->usable_bytes, fmt::format("{} of {}", plain_name(**ran_on), wish.device.id)};
  }
  if (!request.model || !request.engine) return {};
  if (!request.telemetry->pool_tokens) {
    return {{},
            "taken for the whole device: without vllm:cache_config_info (or "
            "sglang:max_total_num_tokens) the evidence does not say how large the pool was; "
            "--measured-on names the size"};
  }
  const domain::Platform platform =
      request.workload.platform ? request.workload.platform->value : domain::Platform::Vsphere;
  const std::vector<Candidate> fractions =
      fraction_candidates(wish, platform, std::nullopt, request.thresholds);
  const Candidate whole = full_candidate(wish, platform).value_or(passthrough_candidate(wish));
  Match best;
  hold(request, wish, whole, best);
  for (const Candidate& fraction : fractions) hold(request, wish, fraction, best);
  const std::string told =
      fmt::format("the pool of {} tokens that the engine told of", *request.telemetry->pool_tokens);
  if (best.candidate == nullptr) {
    return {{},
            fmt::format("not known: {} is that of no size of {}; --measured-on names it", told,
                        wish.device.id)};
  }
  const bool is_whole = best.candidate == &whole;
  const std::string size =
      is_whole ? std::string("the whole device") : sizes_alike(fractions, *best.candidate);
  std::string says = fmt::format(
      "{} of {}, by {}: it would give {}{}", size, wish.device.id, told, best.tokens,
      request.telemetry->utilization ? fmt::format(" at {}", *request.telemetry->utilization)
                                     : std::string());
  if (is_whole) return {{}, std::move(says)};
  return {best.candidate->shape.memory_bytes, std::move(says)};
}

}  // namespace gpushape::advise
