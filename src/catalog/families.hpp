// The Hugging Face model families that are understood: for each, what its class does where the
// config is silent.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gpushape::catalog {

struct Architecture {
  std::string_view name;  ///< Hugging Face class
  bool has_head = true;
};

/// How a family decides which layers slide.
enum class SlidingRule {
  Never,    ///< llama: a window is not part of the family
  Always,   ///< mistral: `sliding_window`, on every layer
  OnSwitch  ///< qwen2, qwen3: only with `use_sliding_window`, from `max_window_layers` on
};

struct Family {
  std::string_view model_type;
  std::span<const Architecture> architectures;
  bool qkv_bias = false;              ///< without a field that says so
  bool reads_attention_bias = false;  ///< `attention_bias`: on q, k, v and o
  bool reads_mlp_bias = false;
  bool query_key_norm = false;
  std::int64_t head_dim = 0;  ///< default; 0 for hidden size / attention heads
  SlidingRule sliding = SlidingRule::Never;
  std::int64_t sliding_window = 0;  ///< default of an absent `sliding_window`
  bool ties_embeddings = false;     ///< default of an absent `tie_word_embeddings`
  std::string_view source;
};

std::span<const Family> families();

}  // namespace gpushape::catalog
