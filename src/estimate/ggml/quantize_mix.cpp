#include "estimate/ggml/quantize_mix.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace gpushape::estimate::ggml {
namespace {

using domain::Quantization;
using enum domain::Quantization;

struct MixRow {
  Quantization mix;
  Quantization most;  ///< the type of most tensors
};
constexpr auto kMixes = std::to_array<MixRow>({
    {MixQ2KS, Q2K},
    {MixQ3KS, Q3K},
    {MixQ3KM, Q3K},
    {MixQ3KL, Q3K},
    {MixQ4KS, Q4K},
    {MixQ4KM, Q4K},
    {MixQ5KS, Q5K},
    {MixQ5KM, Q5K},
    {MixIq2M, Iq2S},
    {Iq2S, Iq2Xs},
    {MixIq3Xs, Iq3S},
    {MixIq3M, Iq3S},
    {MixMxfp4, Mxfp4},
});

/// Families whose files have a tensor attn_qkv. Source: llama.cpp convert_hf_to_gguf.py and
/// gguf-py/gguf/tensor_mapping.py.
constexpr auto kTogether =
    std::to_array<std::string_view>({"phi3", "qwen", "falcon", "gpt_neox", "bloom", "chatglm",
                                     "mpt", "dbrx", "gpt2", "gpt_bigcode"});

// What publishers name beside llama.cpp's own mixes, and the mix that it is but for that. A larger
// letter has embedding and head in Q8_0 (https://huggingface.co/bartowski, model cards: "embeddings
// and output weights quantized to Q8_0"). Which types Unsloth's dynamic files have differs from
// model to model, and theirs is the nearest mix
// (https://unsloth.ai/docs/basics/unsloth-dynamic-2.0-ggufs).
enum class Twist : std::uint8_t { WideEnds, ByModel };
struct PublishedMix {
  Quantization name;
  Quantization base;
  Twist twist;
};
constexpr auto kPublished = std::to_array<PublishedMix>({
    {MixQ2KL, Q2K, Twist::WideEnds},     {MixQ3KXl, MixQ3KL, Twist::WideEnds},
    {MixQ4KL, MixQ4KM, Twist::WideEnds}, {MixQ5KL, MixQ5KM, Twist::WideEnds},
    {MixQ6KL, Q6K, Twist::WideEnds},     {UdIq1S, Iq1S, Twist::ByModel},
    {UdIq1M, Iq1M, Twist::ByModel},      {UdTq10, Tq1_0, Twist::ByModel},
    {UdIq2Xxs, Iq2Xxs, Twist::ByModel},  {UdIq2M, MixIq2M, Twist::ByModel},
    {UdQ2KXl, Q2K, Twist::ByModel},      {UdIq3Xxs, Iq3Xxs, Twist::ByModel},
    {UdIq3S, Iq3S, Twist::ByModel},      {UdQ3KXl, MixQ3KM, Twist::ByModel},
    {UdIq4Xs, Iq4Xs, Twist::ByModel},    {UdQ4KXl, MixQ4KM, Twist::ByModel},
    {UdQ5KXl, MixQ5KM, Twist::ByModel},  {UdQ6KXl, Q6K, Twist::ByModel},
    {UdQ8KXl, Q8_0, Twist::ByModel},
});

/// Null for llama.cpp's own.
const PublishedMix* published_mix(Quantization asked) {
  const auto row = std::ranges::find(kPublished, asked, &PublishedMix::name);
  return row == kPublished.end() ? nullptr : &*row;
}

/// "Q4_K" asked for is the medium mix. Source: tools/quantize/quantize.cpp, QUANT_OPTIONS.
Quantization mix_of(Quantization asked) {
  switch (asked) {
    case Q3K:
      return MixQ3KM;
    case Q4K:
      return MixQ4KM;
    case Q5K:
      return MixQ5KM;
    default:
      return asked;
  }
}

Quantization most_of(Quantization mix) {
  const auto row = std::ranges::find(kMixes, mix, &MixRow::mix);
  return row == kMixes.end() ? mix : row->most;
}

bool is_any(Quantization mix, std::initializer_list<Quantization> mixes) {
  return std::ranges::find(mixes, mix) != mixes.end();
}

/// The layers at both ends and every third between them.
bool is_favoured(std::int64_t layer, std::int64_t layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

constexpr std::initializer_list<Quantization> kTwoBits = {Iq2Xxs, Iq2Xs, Iq1S, Iq2S, MixIq2M, Iq1M};
constexpr std::initializer_list<Quantization> kWiderTwoBits = {Iq2S, MixIq2M};

Quantization head_type(Quantization mix, Quantization most, std::int64_t columns,
                       const MixedModel& model) {
  if (mix == MixMxfp4) return Q8_0;
  const int block = std::max(1, domain::scheme(most).group);
  if (model.is_falcon || columns % block != 0) return Q8_0;
  if (is_any(mix, kTwoBits) || mix == Iq3Xxs) return Q5K;
  return most == Q8_0 ? Q8_0 : Q6K;
}

Quantization embedding_type(Quantization mix, Quantization most) {
  if (is_any(mix, {Iq2Xxs, Iq2Xs, Iq1S, Iq1M})) return Q2K;
  if (is_any(mix, kWiderTwoBits) || mix == Iq3Xxs) return Iq3S;
  if (is_any(mix, {Tq1_0, Tq2_0})) return Q4K;
  return most;
}

Quantization two_bit_type(Quantization mix, Quantization most, Duty duty, const TensorPlace& place,
                          const MixedModel& model) {
  const Quantization wider = is_any(mix, kWiderTwoBits) ? Iq3S : Q2K;
  constexpr std::int64_t kMany = 4;
  constexpr std::int64_t kMixtral = 8;
  if (duty == Duty::Value)
    return model.query_groups >= kMany || model.experts >= kMany ? Q4K : wider;
  if (duty == Duty::Key && model.experts == kMixtral) return Q4K;
  if (duty == Duty::Down && place.layer < model.layers / 8) return wider;
  if (duty == Duty::AttentionOutput) {
    if (model.experts == kMixtral) return Q5K;
    if (is_any(mix, {Iq1S, Iq1M})) return Iq2Xxs;
    if (is_any(mix, kWiderTwoBits)) return Iq3S;
  }
  return most;
}

Quantization value_type(Quantization mix, Quantization most, const TensorPlace& place,
                        const MixedModel& model) {
  const bool is_shared = model.query_groups >= 4;
  const bool takes_four = mix == MixIq3M || (is_shared && is_any(mix, {MixQ2KS, MixIq3Xs, Iq3S}));
  const bool takes_five = mix == MixQ3KL || (is_shared && is_any(mix, {Iq4Nl, Iq4Xs})) ||
                          (mix == MixQ4KS && place.value_index < 4);
  const bool takes_six =
      is_any(mix, {MixQ4KM, MixQ5KM}) && is_favoured(place.value_index, model.value_layers);
  Quantization type = most;
  if (mix == Q2K) {
    type = is_shared ? Q4K : Q3K;
  } else if (mix == Iq3Xxs) {
    type = is_shared ? Q4K : Iq3S;
  } else if (mix == MixQ3KM) {
    type = place.value_index < 2 ? Q5K : Q4K;
  } else if (takes_four) {
    type = Q4K;
  } else if (takes_five) {
    type = Q5K;
  } else if (takes_six) {
    type = Q6K;
  }
  if (model.is_70b && (type == Q3K || type == Q4K)) type = Q5K;
  return model.experts == 8 ? Q8_0 : type;
}

/// Types of four bits and less as they are with an importance matrix, which all publishers make
/// them with: without one IQ4_XS and IQ4_NL give the first eighth of the layers Q5_K.
Quantization down_type(Quantization mix, Quantization most, const TensorPlace& place,
                       const MixedModel& model) {
  const std::int64_t layer = place.layer;
  const std::int64_t layers = model.layers;
  const bool is_early = layer < layers / 8;
  const bool is_favoured_layer = is_favoured(layer, layers);
  if (mix == Q2K) return Q3K;
  if (mix == MixQ2KS) return is_early ? Q4K : most;
  if (mix == Iq3Xxs) return is_early ? Q4K : Q3K;
  if (mix == MixQ3KM) {
    if (layer < layers / 16) return Q5K;
    return !model.is_falcon || is_favoured_layer ? Q4K : Q3K;
  }
  if (mix == MixIq3M) return is_early || (model.experts == 8 && is_favoured_layer) ? Q4K : most;
  if (mix == MixQ3KL) return model.is_falcon ? Q4K : Q5K;
  if (mix == MixQ4KM) {
    if (model.is_falcon && layer >= layers / 16) return is_favoured_layer ? Q5K : Q4K;
    return model.is_falcon || is_favoured_layer ? Q6K : most;
  }
  if (mix == MixQ5KM) return is_favoured_layer ? Q6K : most;
  if (mix == MixQ4KS) return is_early && !model.is_falcon ? Q5K : most;
  return most;
}

Quantization output_type(Quantization mix, Quantization most, const MixedModel& model) {
  if (model.is_falcon) return mix == MixQ3KL ? Q4K : most;
  if (model.experts == 8) {
    return is_any(mix, {Q2K, MixIq3Xs, Iq3Xxs, MixQ3KS, MixQ3KM, Iq4Nl, MixQ4KS, MixQ4KM, Iq3S,
                        MixIq3M, Iq4Xs})
               ? Q5K
               : most;
  }
  if (mix == Q2K) return Q3K;
  if (mix == Iq3Xxs) return Iq3S;
  if (mix == MixQ3KM || mix == MixIq3M) return Q4K;
  return mix == MixQ3KL ? Q5K : most;
}

/// Queries, keys and values in one tensor. Files made since 2026 count them with values, which
/// comes to nearly as much.
Quantization together_type(Quantization mix, Quantization most) {
  if (is_any(mix, {MixQ3KM, MixQ3KL, MixIq3M})) return Q4K;
  if (mix == MixQ4KM) return Q5K;
  return mix == MixQ5KM ? Q6K : most;
}

Quantization inner_type(Quantization mix, Quantization most, Duty duty, const TensorPlace& place,
                        const MixedModel& model) {
  const bool is_middle = place.layer >= model.layers / 8 && place.layer < 7 * model.layers / 8;
  const bool is_head = duty == Duty::Query || duty == Duty::Key || duty == Duty::Value;
  if (is_head && model.has_heads_together) return together_type(mix, most);
  switch (duty) {
    case Duty::Value:
      return value_type(mix, most, place, model);
    case Duty::Key:
      if (model.experts == 8) return Q8_0;
      [[fallthrough]];
    case Duty::Query:
      if (mix == MixIq3Xs) return Iq3Xxs;
      return mix == Iq3Xxs ? Iq2S : most;
    case Duty::Down:
      return down_type(mix, most, place, model);
    case Duty::AttentionOutput:
      return output_type(mix, most, model);
    case Duty::Gate:
    case Duty::Up:
      return mix == MixIq3Xs && is_middle ? Iq3Xxs : most;
    default:
      return most;
  }
}

/// Rows that are no multiple of a type's block take a type of smaller blocks, or 16 bits.
Quantization fitting(Quantization type, std::int64_t columns) {
  const auto fits = [&](Quantization one) {
    const int block = domain::scheme(one).group;
    return block <= 0 || columns % block == 0;
  };
  if (fits(type)) return type;
  Quantization smaller = Fp16;
  switch (type) {
    case Q2K:
    case Q3K:
    case Tq1_0:
    case Tq2_0:
      smaller = Q4_0;
      break;
    case Q4K:
      smaller = Q5_0;
      break;
    case Q5K:
      smaller = Q5_1;
      break;
    case Q6K:
      smaller = Q8_0;
      break;
    case Iq1S:
    case Iq1M:
    case Iq2Xxs:
    case Iq2Xs:
    case Iq2S:
    case Iq3Xxs:
    case Iq3S:
    case Iq4Xs:
      smaller = Iq4Nl;
      break;
    default:
      break;
  }
  return fits(smaller) ? smaller : Fp16;
}

struct NamedDuty {
  std::string_view name;
  Duty duty;
};
// What llama.cpp's names for these tensors hold decides ("attn_qkv" of a linear mixer counts with
// values, "attn_k_b" does not count with keys).
constexpr auto kDuties = std::to_array<NamedDuty>({
    {"self_attn.q_proj", Duty::Query},
    {"self_attn.k_proj", Duty::Key},
    {"self_attn.v_proj", Duty::Value},
    {"self_attn.qkv_proj", Duty::Value},
    {"linear_attn.in_proj_qkv", Duty::Value},
    {"self_attn.o_proj", Duty::AttentionOutput},
    {"mlp.gate_proj", Duty::Gate},
    {"mlp.up_proj", Duty::Up},
    {"mlp.down_proj", Duty::Down},
    {"mlp.experts.gate_proj", Duty::Gate},
    {"mlp.experts.up_proj", Duty::Up},
    {"mlp.experts.down_proj", Duty::Down},
    {"mlp.shared_experts.gate_proj", Duty::Gate},
    {"mlp.shared_experts.up_proj", Duty::Up},
    {"mlp.shared_experts.down_proj", Duty::Down},
    {"model.embed_tokens", Duty::Embedding},
    {"lm_head", Duty::Head},
});

}  // namespace

bool keeps_heads_together(const domain::Model& model) {
  return std::ranges::find(kTogether, model.family) != kTogether.end();
}

bool is_file_type(Quantization quantization) {
  const domain::WeightScheme& scheme = domain::scheme(quantization);
  return scheme.is_interleaved || scheme.granularity == domain::ScaleGranularity::None;
}

bool is_recipe(Quantization quantization) {
  const PublishedMix* published = published_mix(quantization);
  return published != nullptr && published->twist == Twist::ByModel;
}

Duty duty_of(const domain::Tensor& tensor) {
  const bool is_small = tensor.columns == 0 || tensor.is_float32 ||
                        tensor.part == domain::TensorPart::Norm ||
                        tensor.part == domain::TensorPart::Router ||
                        tensor.name.ends_with("conv1d") || tensor.name.ends_with("conv.conv");
  if (is_small) return Duty::Exact;
  const auto known = std::ranges::find(kDuties, tensor.name, &NamedDuty::name);
  return known == kDuties.end() ? Duty::Other : known->duty;
}

MixedModel mixed_model(const domain::Model& model) {
  MixedModel mixed;
  mixed.is_tied = model.tied_embeddings || !model.has_head;
  mixed.is_falcon = model.family == "falcon";
  mixed.has_heads_together = keeps_heads_together(model);
  for (const domain::LayerRun& run : model.layers) {
    const domain::Layer& layer = run.layer;
    mixed.layers += run.count;
    const bool has_values =
        (layer.attention.heads > 0 && !layer.attention.latent && !layer.attention.value_is_key) ||
        (layer.recurrent && layer.recurrent->kind == domain::RecurrentKind::GatedDelta);
    if (has_values) mixed.value_layers += run.count;
    if (layer.attention.kv_heads > 0 && mixed.query_groups == 1)
      mixed.query_groups = layer.attention.heads / layer.attention.kv_heads;
    if (layer.feed_forward.experts)
      mixed.experts = std::max(mixed.experts, layer.feed_forward.experts->count);
  }
  // llama-model.cpp: LLM_TYPE_70B of llama and qwen2 are told by their 80 layers; a llama whose
  // heads share nothing is LLM_TYPE_65B.
  constexpr std::int64_t kLayersOf70b = 80;
  const bool is_told =
      (model.family == "llama" && mixed.query_groups > 1) || model.family == "qwen2";
  mixed.is_70b = is_told && mixed.layers == kLayersOf70b;
  return mixed;
}

Quantization type_in_mix(Quantization asked, Duty duty, const TensorPlace& place,
                         const MixedModel& model) {
  if (duty == Duty::Exact) return Fp32;
  const PublishedMix* published = published_mix(asked);
  const bool has_wide_ends = published != nullptr && published->twist == Twist::WideEnds;
  if (has_wide_ends && (duty == Duty::Head || duty == Duty::Embedding))
    return fitting(Q8_0, place.columns);
  const Quantization mix = mix_of(published == nullptr ? asked : published->base);
  const Quantization most = most_of(mix);
  // Experts that were trained in MXFP4 are not given more bits, nor other blocks where theirs alone
  // divide the rows: openai/gpt-oss-20b takes 11.5 GB in Q2_K and 12.1 in Q8_0.
  constexpr int kWideBlock = 256;
  const bool is_wider = domain::bits_per_weight(domain::scheme(most)) >
                        domain::bits_per_weight(domain::scheme(Mxfp4));
  if (place.is_mxfp4_expert && (is_wider || place.columns % kWideBlock != 0)) return Mxfp4;
  if (domain::scheme(most).granularity == domain::ScaleGranularity::None) return most;
  Quantization type = most;
  if (duty == Duty::Head || (duty == Duty::Embedding && model.is_tied)) {
    type = head_type(mix, most, place.columns, model);
  } else if (mix == MixMxfp4) {
    type = place.is_expert ? Mxfp4 : Q8_0;
  } else if (duty == Duty::Embedding) {
    type = embedding_type(mix, most);
  } else if (is_any(mix, kTwoBits)) {
    type = two_bit_type(mix, most, duty, place, model);
  } else {
    type = inner_type(mix, most, duty, place, model);
  }
  return fitting(type, place.columns);
}

}  // namespace gpushape::estimate::ggml
