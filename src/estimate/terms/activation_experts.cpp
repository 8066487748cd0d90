// A mixture of experts: every token is copied to each of its experts, through the experts' first
// projection, its activation, and the second.
//
//   routed     = T x active
//   workspace  = routed (max(w, h) + max(n, h)) dtypeBytes     one workspace, which stays
//              = routed (max(n, h) + w) dtypeBytes             two caches, the third in the first
//              = routed (n + w + h) dtypeBytes                 three caches
//   layer      = workspace + T (3 s + forwardHidden h) dtypeBytes + T experts 8
//
// Engines that are parallel by data and deal out their experts together gather each other's tokens:
// T is then theirs as well, but for forwardHidden, and 2 T h dtypeBytes hold what is gathered and
// what is given back. Source: https://github.com/vllm-project/vllm/pull/57270 (the buffers grow
// with "num_dp_groups * max_tokens").
//
// with w the width of one expert on this rank, n = 2 w where experts have a gate, s the width of
// the shared experts, h the experts' input. From the version on that runs experts as modular
// kernels, the workspace belongs to a manager that never shrinks, so that it stands under the
// sampler, too. Source: vLLM model_executor/layers/fused_moe/fused_moe.py (TritonExperts,
// fused_experts_impl), modular_kernel.py, v1/worker/workspace.py; 0.19 series: DeepSeek-V2-Lite
// 1.93, Qwen1.5-MoE 2.47 GiB.
#include <fmt/format.h>

#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

/// How an engine version holds what passes between the experts' projections.
enum class Caches { Separate, Shared, Workspace };

Caches caches_of(const Facts& facts) {
  if (facts.expected("expertsWorkspace") != 0) return Caches::Workspace;
  return facts.expected("expertsCachesShared") != 0 ? Caches::Shared : Caches::Separate;
}

double values_per_routed_token(const domain::Experts& experts, double hidden, double ranks,
                               Caches caches) {
  const double width = static_cast<double>(experts.width) / ranks;
  const double first = (experts.is_gated ? 2 : 1) * width;
  switch (caches) {
    case Caches::Separate:
      return first + width + hidden;
    case Caches::Shared:
      return std::max(first, hidden) + width;
    case Caches::Workspace:
      break;
  }
  return std::max(width, hidden) + std::max(first, hidden);
}

/// Tokens of the step of other engines that this rank's experts take.
Spread gathered_tokens(const Step& step) {
  const Plan& plan = *step.situation->plan;
  if (!experts_span_engines(plan)) return {};
  const auto others = static_cast<double>(plan.parallelism.data - 1);
  return plan.facts.value("expertsGathered") * (others * step.tokens);
}

double tokens_at_once(const Step& step, double gathered) {
  const double chunk = step.situation->plan->facts.expected("expertsChunkTokens");
  const double tokens = step.tokens + gathered;
  return chunk > 0 ? std::min(tokens, chunk) : tokens;
}

struct ExpertsParts {
  double routed = 0;  ///< tokens at once, once for each expert that takes them
  double values = 0;  ///< of one of them
  double beside = 0;  ///< bytes of one token: the shared experts and the router's weights
  double passed = 0;  ///< bytes of all tokens that go from engine to engine, and back
};

ExpertsParts experts_parts(const Step& step, double gathered) {
  const Plan& plan = *step.situation->plan;
  const Caches caches = caches_of(plan.facts);
  // Expert parallel leaves experts whole; the step's tokens may all meet on one rank.
  const double ranks = plan.parallelism.expert > 1 ? 1 : step.ranks;
  ExpertsParts parts;
  if (gathered > 0) parts.passed = 2 * (step.tokens + gathered) * step.hidden * step.dtype;
  each_run(*plan.model, step.situation->stage, [&](const domain::Layer& layer, std::int64_t) {
    if (!layer.feed_forward.experts) return;
    const domain::Experts& experts = *layer.feed_forward.experts;
    const double hidden =
        experts.latent_width > 0 ? static_cast<double>(experts.latent_width) : step.hidden;
    const double routed = tokens_at_once(step, gathered) * static_cast<double>(experts.active);
    const double values = values_per_routed_token(experts, hidden, ranks, caches);
    if (routed * values > parts.routed * parts.values) {
      parts.routed = routed;
      parts.values = values;
    }
    const double shared = 3 * static_cast<double>(experts.shared_width) / step.ranks;
    constexpr double kRouterBytes = 8;  // logits and weights in 32 bits
    parts.beside = std::max(
        parts.beside, shared * step.dtype + kRouterBytes * static_cast<double>(experts.count));
  });
  return parts;
}

NameKey fact_of(Caches caches) {
  switch (caches) {
    case Caches::Workspace:
      return "expertsWorkspace";
    case Caches::Shared:
      return "expertsCachesShared";
    case Caches::Separate:
      break;
  }
  return "expertsLayer";
}

ExpertsPeak peak_with(const Step& step, double gathered) {
  const Plan& plan = *step.situation->plan;
  const ExpertsParts parts = experts_parts(step, gathered);
  const double workspace = parts.routed * parts.values * step.dtype;
  if (workspace == 0) return {};
  ExpertsPeak peak;
  peak.layer = plan.facts.value("expertsLayer") * workspace +
               certain((step.tokens + gathered) * parts.beside + parts.passed) +
               hidden_tensors(step);
  if (caches_of(plan.facts) == Caches::Workspace)
    peak.kept = plan.facts.value("expertsWorkspace") * workspace;
  return peak;
}

}  // namespace

ExpertsPeak experts_peak(const Step& step) {
  if (step.situation->plan->facts.conditions().has_experts == 0) return {};
  const Spread gathered = gathered_tokens(step);
  const ExpertsPeak likely = peak_with(step, gathered.expected);
  if (gathered.low == gathered.high) return likely;
  const ExpertsPeak least = peak_with(step, gathered.low);
  const ExpertsPeak most = peak_with(step, gathered.high);
  return {.layer = {least.layer.low, likely.layer.expected, most.layer.high},
          .kept = {least.kept.low, likely.kept.expected, most.kept.high}};
}

void explain_experts(const Step& step, domain::Term& term) {
  const Facts& facts = step.situation->plan->facts;
  const double gathered = gathered_tokens(step).expected;
  const ExpertsParts parts = experts_parts(step, gathered);
  const bool is_gathered = gathered > 0;
  term.formula = fmt::format(
      "expertsLayer x routedTokens x routedValues x dtypeBytes + {} x besideBytes{}",
      is_gathered ? "gatheredTokens" : "batchedTokens", is_gathered ? " + passedBytes" : "");
  term.inputs = {{"expertsLayer", facts.expected("expertsLayer")},
                 {"routedTokens", whole(parts.routed)},
                 {"routedValues", whole(parts.values)},
                 {"dtypeBytes", whole(step.dtype)},
                 {"batchedTokens", whole(step.tokens)},
                 {"besideBytes", whole(parts.beside)}};
  if (is_gathered) {
    term.inputs.push_back({"gatheredTokens", whole(step.tokens + gathered)});
    term.inputs.push_back({"passedBytes", whole(parts.passed)});
  }
  explain_hidden_tensors(step, term);
  term.source = facts.source(fact_of(caches_of(facts)));
}

}  // namespace gpushape::estimate::terms
