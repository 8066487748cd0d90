// Mixers with a recurrent state: projections, the convolution's output, and the states at the
// chunks' borders, from which a long prompt is computed in parallel.
//
//   recurrent = recurrentForward x (T (6 v + 3 e) dtypeBytes + T / chunk x heads k v' 4)
//               + T forwardHidden h dtypeBytes
//
// with v the width of the values, e what is projected beside them (keys and queries, or B and C),
// and k v' one head's state. Source: vLLM model_executor/layers/fla (chunks of 64 tokens),
// layers/mamba/ops/ssd_combined.py (chunks of 256).
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

constexpr double kDeltaChunk = 64;
constexpr double kStateSpaceChunk = 256;
constexpr double kStateBytes = 4;

double mixer_bytes(const domain::Recurrent& mixer, const Step& step) {
  using domain::RecurrentKind;
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const double values =
      mixer.inner > 0 ? number(mixer.inner) : number(mixer.value_heads) * number(mixer.value_dim);
  double beside = 2 * number(mixer.key_heads) * number(mixer.key_dim);
  double state = number(mixer.value_heads) * number(mixer.key_dim) * number(mixer.value_dim);
  double chunk = kDeltaChunk;
  if (mixer.kind == RecurrentKind::Mamba2 || mixer.kind == RecurrentKind::Mamba) {
    beside = 2 * std::max(1.0, number(mixer.groups)) * number(mixer.state);
    state = values * number(mixer.state);
    chunk = kStateSpaceChunk;
  }
  if (mixer.kind == RecurrentKind::ShortConv) state = 0;
  const double projected = step.tokens * (6 * values + 3 * beside) * step.dtype;
  return (projected + step.tokens / chunk * state * kStateBytes) / step.ranks;
}

}  // namespace

Spread recurrent_peak(const Step& step) {
  const Plan& plan = *step.situation->plan;
  double widest = 0;
  each_run(*plan.model, step.situation->stage, [&](const domain::Layer& layer, std::int64_t) {
    if (layer.recurrent) widest = std::max(widest, mixer_bytes(*layer.recurrent, step));
  });
  if (widest == 0) return {};
  return plan.facts.value("recurrentForward") * widest + hidden_tensors(step);
}

}  // namespace gpushape::estimate::terms
