// A head that proposes tokens (EAGLE), where the engine profiles it over all tokens of the largest
// step: its own network at its widest, beside what it reads of the large model and joins to its
// input.
//
//   drafts = T (3 f + (forwardHidden + draftedHidden) h) dtypeBytes + benchmarkBuffer
//
// with f the width of the head's network on this rank and h the large model's hidden size.
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

/// Of one token in the head's widest layer; 0 without a head that is profiled.
double draft_values(const Step& step) {
  const Plan& plan = *step.situation->plan;
  const domain::Model* draft = plan.draft.model;
  const bool is_profiled = draft != nullptr && is_draft_head(*draft) &&
                           step.situation->stage.has_head &&
                           plan.facts.expected("draftedHidden") > 0;
  if (!is_profiled) return 0;
  double values = 0;
  for (const domain::LayerRun& run : draft->layers) {
    const domain::FeedForward& network = run.layer.feed_forward;
    const double width = static_cast<double>(network.width) /
                         static_cast<double>(plan.draft.weights.tensor_parallel);
    values = std::max(values, (network.gated ? 3 : 2) * width);
  }
  return values;
}

}  // namespace

Spread drafts_peak(const Step& step) {
  const double values = draft_values(step);
  if (values == 0) return {};
  return certain(values * step.tokens * step.dtype) + hidden_tensors(step) +
         step.situation->plan->facts.value("draftedHidden") *
             (step.tokens * step.hidden * step.dtype);
}

void explain_drafts(const Step& step, domain::Term& term) {
  const Facts& facts = step.situation->plan->facts;
  term.formula =
      "batchedTokens x draftValues x dtypeBytes + draftedHidden x batchedTokens x hiddenSize x "
      "dtypeBytes";
  term.inputs = {{"batchedTokens", whole(step.tokens)},
                 {"draftValues", whole(draft_values(step))},
                 {"dtypeBytes", whole(step.dtype)},
                 {"draftedHidden", facts.expected("draftedHidden")}};
  explain_hidden_tensors(step, term);
  term.source = facts.source("draftedHidden");
}

}  // namespace gpushape::estimate::terms
