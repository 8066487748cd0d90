// A dense feed-forward network at its widest: gate, up and their product, beside what a layer holds
// of the hidden size.
//
//   dense = T ((3 + quantizedWidths) f + forwardHidden h) dtypeBytes + benchmarkBuffer
//
// with f the width on this rank; without a gate there are the projection and its activation only.
// The buffer is that of a start which compiles (hidden_tensors).
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

struct DenseParts {
  double values = 0;  ///< of one token in the widest layer
  double width = 0;   ///< of its network on this rank
  Spread further;     ///< widths that stand beside, where the compiler does not see the kernels
  Spread quantized;   ///< bytes that a value of the down projection's input has by its 8 bits
};

DenseParts dense_parts(const Step& step) {
  const Plan& plan = *step.situation->plan;
  DenseParts parts;
  each_run(*plan.model, step.situation->stage, [&](const domain::Layer& layer, std::int64_t) {
    const double width = static_cast<double>(layer.feed_forward.width) / step.ranks;
    parts.values = std::max(parts.values, (layer.feed_forward.gated ? 3 : 2) * width);
    parts.width = std::max(parts.width, width);
  });
  // Where both operands of a matrix product have 8 bits, the product of gate and up stands in 8
  // bits as well before the down projection, or in 8 bits alone: then that is a byte less.
  parts.quantized = plan.facts.value("quantizedInputs");
  parts.further = plan.facts.value("quantizedWidths");
  return parts;
}

}  // namespace

Spread dense_peak(const Step& step) {
  const DenseParts parts = dense_parts(step);
  return certain(parts.values * step.tokens * step.dtype) + hidden_tensors(step) +
         parts.quantized * (step.tokens * parts.width) +
         parts.further * (step.tokens * parts.width * step.dtype);
}

void explain_dense(const Step& step, domain::Term& term) {
  const DenseParts parts = dense_parts(step);
  term.formula = "batchedTokens x layerValues x dtypeBytes";
  term.inputs = {{"batchedTokens", whole(step.tokens)},
                 {"layerValues", whole(parts.values)},
                 {"dtypeBytes", whole(step.dtype)}};
  explain_hidden_tensors(step, term);
  term.source = step.situation->plan->facts.source("forwardHidden");
  if (parts.further.expected > 0) {
    term.formula += " + quantizedWidths x batchedTokens x layerWidth x dtypeBytes";
    term.inputs.push_back({"quantizedWidths", parts.further.expected});
    if (parts.quantized.expected == 0) term.inputs.push_back({"layerWidth", whole(parts.width)});
  }
  if (parts.quantized.expected != 0) {
    term.formula += " + quantizedInputs x batchedTokens x layerWidth";
    term.inputs.push_back({"quantizedInputs", parts.quantized.expected});
    term.inputs.push_back({"layerWidth", whole(parts.width)});
  }
}

}  // namespace gpushape::estimate::terms
