// The peak of one step of the largest batch: either the sampler's copies of the logits, or the
// widest point of a layer's forward pass, whichever is larger. The two never stand at once.
//
//   sampler = S V (logitBytes + samplerBytesPerLogit) + min(S, scratchRows) V scratchBytes
//             + (T + 2 S) h dtypeBytes
//   forward = T (3 f + forwardHidden h) dtypeBytes
//   activation = max(sampler, forward) + workspace + received
//
// with S sequences, T batched tokens, V vocabulary (padded), h hidden size, f feed-forward width on
// this rank. `received` are hidden states and residual that a later pipeline stage takes from the
// one before.
#include <algorithm>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

struct Peak {
  double sequences = 0;
  double tokens = 0;
  double vocabulary = 0;
  double hidden = 0;
  double width = 0;
  double dtype = 0;
  Spread sampler;
  Spread forward;
  double workspace = 0;
  double received = 0;
};

std::int64_t widest_feed_forward(const Situation& situation) {
  std::int64_t widest = 0;
  each_run(*situation.plan->model, situation.stage, [&](const domain::Layer& layer, std::int64_t) {
    widest = std::max(widest, layer.feed_forward.width);
  });
  return widest;
}

Spread sampler_peak(const Plan& plan, const Peak& peak) {
  const double logits = peak.sequences * peak.vocabulary;
  const Spread copies = plan.facts.value("samplerBytesPerLogit") + certain(peak.dtype);
  const double scratch_bytes = plan.facts.expected("samplerScratchBytes");
  const Spread& rows = plan.multiprocessors;
  const Spread scratch =
      Spread{std::min(rows.low, peak.sequences), std::min(rows.expected, peak.sequences),
             std::min(rows.high, peak.sequences)} *
      (peak.vocabulary * scratch_bytes);
  const double hidden = (peak.tokens + 2 * peak.sequences) * peak.hidden * peak.dtype;
  return copies * logits + scratch + certain(hidden);
}

Spread forward_peak(const Plan& plan, const Peak& peak) {
  const Spread hidden = plan.facts.value("forwardHidden") * peak.hidden;
  Spread forward = (certain(3 * peak.width) + hidden) * (peak.tokens * peak.dtype);
  // Linear layers of 8 bits and less quantize their input first; how much of that stands at the
  // peak depends on the kernel.
  if (plan.facts.conditions().is_quantized != 0) forward.high += peak.tokens * peak.width;
  return forward;
}

Peak peak_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  Peak peak;
  peak.tokens = static_cast<double>(plan.max_num_batched_tokens);
  peak.sequences = static_cast<double>(std::min(plan.max_num_seqs, plan.max_num_batched_tokens));
  peak.vocabulary = static_cast<double>(padded_vocabulary(*plan.model, plan.weights));
  peak.hidden = static_cast<double>(plan.model->hidden_size);
  peak.width = static_cast<double>(widest_feed_forward(situation)) /
               static_cast<double>(plan.parallelism.tensor);
  peak.dtype = static_cast<double>(plan.weights.dtype_bytes);
  peak.workspace = plan.facts.expected("matrixWorkspace");
  if (situation.stage.index > 0) peak.received = 2 * peak.tokens * peak.hidden * peak.dtype;
  peak.forward = forward_peak(plan, peak);
  if (situation.stage.has_head && plan.model->has_head) peak.sampler = sampler_peak(plan, peak);
  return peak;
}

}  // namespace

Spread activation_bytes(const Situation& situation) {
  const Peak peak = peak_of(situation);
  return larger(peak.sampler, peak.forward) + certain(peak.workspace + peak.received);
}

void describe_activation(const Situation& situation, domain::Term& term) {
  const Peak peak = peak_of(situation);
  const Plan& plan = *situation.plan;
  const bool is_sampler = peak.sampler.expected >= peak.forward.expected;
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  if (is_sampler) {
    term.formula =
        "maxNumSeqs x vocabulary x (dtypeBytes + samplerBytesPerLogit) + scratchRows x vocabulary "
        "x scratchBytes + (batchedTokens + 2 x maxNumSeqs) x hiddenSize x dtypeBytes + workspace + "
        "received";
    term.inputs = {
        {"maxNumSeqs", whole(peak.sequences)},
        {"vocabulary", whole(peak.vocabulary)},
        {"dtypeBytes", whole(peak.dtype)},
        {"samplerBytesPerLogit", plan.facts.expected("samplerBytesPerLogit")},
        {"scratchRows", whole(std::min(plan.multiprocessors.expected, peak.sequences))},
        {"scratchBytes", whole(plan.facts.expected("samplerScratchBytes"))},
        {"batchedTokens", whole(peak.tokens)},
        {"hiddenSize", whole(peak.hidden)},
    };
    term.source = plan.facts.source("samplerBytesPerLogit");
  } else {
    term.formula =
        "batchedTokens x (3 x feedForwardWidth + forwardHidden x hiddenSize) x dtypeBytes + "
        "workspace + received";
    term.inputs = {
        {"batchedTokens", whole(peak.tokens)},
        {"feedForwardWidth", whole(peak.width)},
        {"forwardHidden", plan.facts.expected("forwardHidden")},
        {"hiddenSize", whole(peak.hidden)},
        {"dtypeBytes", whole(peak.dtype)},
    };
    term.source = plan.facts.source("forwardHidden");
  }
  term.inputs.push_back({"workspace", whole(peak.workspace)});
  term.inputs.push_back({"received", whole(peak.received)});
  term.inputs.push_back({"forward", whole(peak.forward.expected)});
  term.inputs.push_back({"sampler", whole(peak.sampler.expected)});
}

}  // namespace gpushape::estimate::terms
