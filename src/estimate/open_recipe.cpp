#include "estimate/open_recipe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/modules.hpp"

namespace gpushape::estimate {
namespace {

using domain::Quantization;

/// Smallest groups of integers that publishers use; 128 is the usual size. An AWQ of compressed
/// tensors with symmetric groups of 32: https://github.com/vllm-project/llm-compressor/pull/2302;
/// kernels for both sizes: https://github.com/InternLM/lmdeploy/pull/4429. A name tells neither.
constexpr int kSmallGroup = 32;

/// With 4 bits. It has blocks of 64 weights, which no config.json changes. Source: transformers
/// utils/quantization_config.py, BitsAndBytesConfig; bitsandbytes nn/modules.py, Params4bit.
bool is_bitsandbytes(Quantization quantization) {
  return quantization == Quantization::BnbNf4 || quantization == Quantization::BnbNf4Double;
}

/// Of layers with experts or recurrence some recipes keep all attention in 16 bits, and the experts
/// that every token takes.
bool has_choice_of_layers(const domain::Model& model) {
  return domain::has_linear_attention(model) || domain::has_experts(model);
}

/// Of 125 GPTQ repositories of dense models whose names do not tell, but for TheBloke's from 30B
/// on, 112 have groups of 128, five smaller ones, and eight larger ones or whole rows (config.json
/// and quantize_config.json on the Hub, 2023 to 2026).
bool may_scale_rows(const domain::Model& model, const WeightsLayout& layout) {
  return layout.is_as_stored && model.weights.group == 0 &&
         model.weights.linear == Quantization::GptqInt4 && !has_choice_of_layers(model);
}

bool has_open_groups(const domain::Model& model, const WeightsLayout& layout) {
  const bool is_told = (layout.is_as_stored && model.weights.group != 0) ||
                       is_bitsandbytes(layout.scheme.quantization) || may_scale_rows(model, layout);
  return !is_told && layout.scheme.granularity == domain::ScaleGranularity::Group &&
         layout.scheme.group > kSmallGroup;
}

/// What the recipe says of attention and dense networks left out.
domain::Model with_all_in_few_bits(domain::Model model) {
  const auto is_of_layers = [](std::string_view pattern) {
    return pattern.contains("_attn") || (pattern.contains(".mlp") && !pattern.contains("gate"));
  };
  std::vector<std::string>& kept = model.weights.kept;
  if (model.weights.modules.empty() && std::ranges::none_of(kept, is_of_layers)) return model;
  model.weights.modules.clear();
  std::erase_if(kept, is_of_layers);
  domain::resolve_modules(model);
  return model;
}

/// Names under which checkpoints hold the encoders of images.
bool keeps_encoders(const std::vector<std::string>& kept) {
  constexpr auto kEncoders =
      std::to_array<std::string_view>({"vision_model", "vision_tower", "visual"});
  return std::ranges::any_of(kEncoders, [&](std::string_view name) {
    return std::ranges::find(kept, name) != kept.end();
  });
}

Bytes shrunk_towers(const domain::Model& model, const WeightsLayout& layout,
                    const LoadedWeights& loaded) {
  if (!may_shrink_towers(model, layout)) return {};
  const double whole_bits = 8 * static_cast<double>(layout.dtype_bytes);
  const double away = 1 - domain::bits_per_weight(layout.scheme) / whole_bits;
  return Bytes(std::llround(away * static_cast<double>(loaded.towers.tensors.count())));
}

Bytes share_of(const LoadedWeights& loaded, double share) {
  return Bytes(std::llround(share * static_cast<double>(loaded.tensors.count())));
}

}  // namespace

// bitsandbytes takes every linear layer that a class hands its settings to, and for the encoders of
// images some classes do: Qwen2.5-VL-3B that 0.9.2 converts while it loads prints 2.60 GiB with
// adapters, where its encoder in 16 bits leaves no less than 3.2.
bool may_shrink_towers(const domain::Model& model, const WeightsLayout& layout) {
  return layout.loads_towers && !model.towers.empty() &&
         is_bitsandbytes(layout.scheme.quantization) &&
         !(layout.is_as_stored && keeps_encoders(model.weights.kept));
}

// Between the two: RedHatAI/Qwen3.6-35B-A3B-NVFP4 23.45 GiB, RedHatAI/gemma-4-26B-A4B-it-NVFP4
// 15.88, cyankiwi's AWQ of the same 16.63, unsloth/Qwen3.8-27B-NVFP4 22.13 (vLLM 0.25.1,
// https://github.com/sostrowsk/dgx-spark-local-llm), cpatonn's AWQ of Qwen3-30B-A3B 15.61 (0.10.0),
// nvidia/NVIDIA-Nemotron-3-Nano-4B-FP8 4.91 (0.13.0), 0.42 more than with all layers in 8 bits.
bool has_recipes(const domain::Model& model, const WeightsLayout& layout) {
  const domain::WeightScheme& scheme = layout.scheme;
  constexpr int kFewBits = 4;
  constexpr int kByteBits = 8;
  // Blocks of a GGUF file are what their name says.
  if (scheme.is_interleaved) return false;
  if (layout.is_as_stored && (model.weights.richer > 0 || model.weights.doubt)) return true;
  if (scheme.weight_bits == kByteBits && scheme.granularity == domain::ScaleGranularity::Block)
    return false;
  if (scheme.weight_bits == kByteBits)
    return domain::has_linear_attention(model) || has_open_groups(model, layout);
  return scheme.weight_bits <= kFewBits &&
         (has_choice_of_layers(model) || has_open_groups(model, layout) ||
          may_scale_rows(model, layout));
}

RecipeBounds recipe_bounds(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage, const LoadedWeights& loaded) {
  if (const auto& doubt = model.weights.doubt; doubt && layout.is_as_stored)
    return {.less = share_of(loaded, doubt->less), .more = share_of(loaded, doubt->more)};
  // Symmetric, so without zero points (the same source), experts as wide as they are, and all
  // layers in the same few bits (https://huggingface.co/CodeMan62/qwen3.8-27B-NVFP4A16).
  domain::Model plainest = with_all_in_few_bits(model);
  if (model.weights.linear == Quantization::Awq || model.weights.linear == Quantization::GptqInt4)
    plainest.weights.linear = Quantization::Int4;
  WeightsLayout unpadded = layout;
  unpadded.expert_padding = {};
  unpadded.scheme.zero_bits = 0;
  unpadded.scheme.order_bits = 0;
  if (may_scale_rows(model, layout)) {
    plainest.weights.group = domain::kWholeRow;
    unpadded.scheme.granularity = domain::ScaleGranularity::Channel;
    unpadded.scheme.group = 0;
  }
  const LoadedWeights least = load_weights(plainest, unpadded, stage);

  domain::Model richest = model;
  WeightsLayout kept = layout;
  kept.keeps_mixers_and_shared = has_choice_of_layers(model);
  if (has_open_groups(model, layout)) {
    richest.weights.group = kSmallGroup;
    kept.scheme.group = kSmallGroup;
  }
  const LoadedWeights most = load_weights(richest, kept, stage);
  const double richer = layout.is_as_stored ? model.weights.richer : 0;
  const Bytes chosen = share_of(loaded, richer);
  return {.less = std::max(Bytes(0), loaded.tensors - least.tensors) +
                  shrunk_towers(model, layout, loaded),
          .more = std::max(chosen, most.tensors - loaded.tensors)};
}

}  // namespace gpushape::estimate
