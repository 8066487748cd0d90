// The rows of all families, in tables by what they are; families() joins them.
#pragma once

#include <span>

#include "catalog/families.hpp"

namespace gpushape::catalog {

/// Cohere2Config, and Cohere2MoeConfig, which takes its attention from it.
inline constexpr Traits kCohere2{
    .ties_embeddings = true,
    .qkv_bias_field = "attention_bias",
    .output_bias_field = "attention_bias",
    .norms = 1,
    .sliding = SlidingRule::Periodic,
    .sliding_window = 4096,
    .sliding_period = 4,
    .sizes = {.hidden = 8192,
              .layers = 40,
              .heads = 64,
              .width = 22528,
              .vocabulary = 256000,
              .context = 8192},
};

/// BertConfig's: LayerNorm and biases everywhere, a head's key for each of its queries.
inline constexpr Traits kBert{
    .ties_embeddings = true,
    .qkv_bias = true,
    .output_bias = true,
    .mlp_bias = true,
    .gated = false,
    .norm_bias = true,
    .is_multi_head = true,
    .context = 512,
};

std::span<const Family> decoders();
std::span<const Family> more_dense();
std::span<const Family> gemmas();
std::span<const Family> gpts();
std::span<const Family> nested_decoders();
std::span<const Family> mixtures();
std::span<const Family> hybrids();
std::span<const Family> drafts();
std::span<const Family> composites();
std::span<const Family> qwen_kin();
std::span<const Family> sound_composites();
std::span<const Family> encoders();
std::span<const Family> bert_kin();
std::span<const Family> sound_encoders();
std::span<const Family> encoder_decoders();

}  // namespace gpushape::catalog
