// A dense feed-forward network at its widest: gate, up and their product, beside what a layer holds
// of the hidden size.
//
//   dense = T (3 f + forwardHidden h) dtypeBytes
//
// with f the width on this rank; without a gate there are the projection and its activation only.
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {

Spread dense_peak(const Step& step) {
  const Plan& plan = *step.situation->plan;
  double widest = 0;
  double plain = 0;  // without the activations' own quantization
  each_run(*plan.model, step.situation->stage, [&](const domain::Layer& layer, std::int64_t) {
    const double width = static_cast<double>(layer.feed_forward.width) / step.ranks;
    widest = std::max(widest, (layer.feed_forward.gated ? 3 : 2) * width);
    plain = std::max(plain, width);
  });
  const Spread peak = certain(widest * step.tokens * step.dtype) + hidden_tensors(step);
  // Where both operands of a matrix product have 8 bits, the product of gate and up stands in 8
  // bits as well before the down projection.
  const Spread quantized = plan.facts.value("quantizedInputs") * (step.tokens * plain);
  // A first start compiles while it profiles; a later one finds the compiled graphs in a cache.
  const Spread compiling = plan.enforce_eager ? Spread{} : plan.facts.value("compileBuffers");
  return peak + quantized + compiling;
}

}  // namespace gpushape::estimate::terms
