// The sampler, called once with the largest number of sequences while the engine profiles itself.
//
//   sampler = S V (dtypeBytes + samplerBytesPerLogit) + min(S, scratchRows) V scratchBytes
//             + (T + 2 S) h dtypeBytes
//
// where a draft model proposes tokens with S V rejectionBytesPerLogit more: the drafts of all
// sequences are checked once as well. Of models whose own layers predict no start shows it.
//
// The last part are the hidden states of the whole step, which the profiler holds, and those that
// it samples from.
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {

bool checks_drafts(const Plan& plan) {
  return plan.draft.model != nullptr && plan.cache.draft_tokens > 0;
}

Spread sampler_peak(const Step& step) {
  const Plan& plan = *step.situation->plan;
  if (!step.situation->stage.has_head || !plan.model->has_head) return {};
  const double logits = step.sequences * step.vocabulary;
  Spread copies = plan.facts.value("samplerBytesPerLogit") + certain(step.dtype);
  if (checks_drafts(plan)) copies += plan.facts.value("rejectionBytesPerLogit");
  const double scratch_bytes = plan.facts.expected("samplerScratchBytes");
  const Spread& rows = plan.multiprocessors;
  const Spread scratch =
      Spread{std::min(rows.low, step.sequences), std::min(rows.expected, step.sequences),
             std::min(rows.high, step.sequences)} *
      (step.vocabulary * scratch_bytes);
  const double hidden = (step.tokens + 2 * step.sequences) * step.hidden * step.dtype;
  return copies * logits + scratch + certain(hidden);
}

bool may_sample_in_two_ways(const Plan& plan) {
  // FlashInfer needs 7.5 bytes a logit and torch's sort 36; bounds of one sampler lie nearer.
  constexpr double kOfTwoSamplers = 20;
  const Spread per_logit = plan.facts.value("samplerBytesPerLogit");
  return per_logit.high - per_logit.low > kOfTwoSamplers;
}

}  // namespace gpushape::estimate::terms
