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

struct MixerParts {
  double values = 0;  ///< of one token
  double state = 0;   ///< values of all heads' states
  double chunk = kDeltaChunk;
};

MixerParts mixer_parts(const domain::Recurrent& mixer) {
  using domain::RecurrentKind;
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const double values =
      mixer.inner > 0 ? number(mixer.inner) : number(mixer.value_heads) * number(mixer.value_dim);
  double beside = 2 * number(mixer.key_heads) * number(mixer.key_dim);
  MixerParts parts;
  parts.state = number(mixer.value_heads) * number(mixer.key_dim) * number(mixer.value_dim);
  if (mixer.kind == RecurrentKind::Mamba2 || mixer.kind == RecurrentKind::Mamba) {
    beside = 2 * std::max(1.0, number(mixer.groups)) * number(mixer.state);
    parts.state = values * number(mixer.state);
    parts.chunk = kStateSpaceChunk;
  }
  if (mixer.kind == RecurrentKind::ShortConv) parts.state = 0;
  parts.values = 6 * values + 3 * beside;
  return parts;
}

double mixer_bytes(const MixerParts& parts, const Step& step) {
  return (step.tokens * parts.values * step.dtype +
          step.tokens / parts.chunk * parts.state * kStateBytes) /
         step.ranks;
}

MixerParts widest_mixer(const Step& step) {
  MixerParts widest;
  each_run(*step.situation->plan->model, step.situation->stage,
           [&](const domain::Layer& layer, std::int64_t) {
             if (!layer.recurrent) return;
             const MixerParts parts = mixer_parts(*layer.recurrent);
             if (mixer_bytes(parts, step) > mixer_bytes(widest, step)) widest = parts;
           });
  return widest;
}

}  // namespace

Spread recurrent_peak(const Step& step) {
  if (step.situation->plan->facts.conditions().has_recurrent == 0) return {};
  const double widest = mixer_bytes(widest_mixer(step), step);
  if (widest == 0) return {};
  return step.situation->plan->facts.value("recurrentForward") * widest + hidden_tensors(step);
}

void explain_recurrent(const Step& step, domain::Term& term) {
  const Facts& facts = step.situation->plan->facts;
  const MixerParts parts = widest_mixer(step);
  term.formula =
      "recurrentForward x (batchedTokens x mixerValues x dtypeBytes + batchedTokens / chunkTokens "
      "x stateValues x stateBytes) / tensorParallel";
  term.inputs = {{"recurrentForward", facts.expected("recurrentForward")},
                 {"batchedTokens", whole(step.tokens)},
                 {"mixerValues", whole(parts.values)},
                 {"dtypeBytes", whole(step.dtype)},
                 {"chunkTokens", whole(parts.chunk)},
                 {"stateValues", whole(parts.state)},
                 {"stateBytes", whole(kStateBytes)},
                 {"tensorParallel", whole(step.ranks)}};
  explain_hidden_tensors(step, term);
  term.source = facts.source("recurrentForward");
}

}  // namespace gpushape::estimate::terms
