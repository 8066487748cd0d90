// RecurrentGemma (Griffin, arXiv 2402.19427): a gated linear recurrence with one value a channel,
// and attention within a window in between. Source: RecurrentGemmaConfig and
// modeling_recurrent_gemma.py of transformers; the recurrence's values are kept in float32.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

domain::Recurrent read_griffin(const ConfigParts& parts, std::int64_t heads) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Griffin;
  mixer.inner = parts.size_or({"lru_width"}, "recurrent", kHiddenSize, parts.model().hidden_size);
  mixer.value_heads = heads;
  mixer.convolution = parts.size_or({"conv1d_width"}, "", kKernel, 4);
  mixer.state_bits = 32;
  return mixer;
}

/// The pattern of blocks, which the layers repeat.
std::vector<bool> attending_blocks(const ConfigParts& parts) {
  const std::string_view field = parts.fields().first_given({"block_types", "_block_types"});
  if (field.empty()) return {false, false, true};
  std::vector<bool> attends;
  for (const std::string& word : parts.fields().texts(field)) {
    if (word != "recurrent" && word != "attention")
      parts.fields().complain(field, fmt::format("block type '{}' is not understood", word),
                              "known are recurrent and attention");
    attends.push_back(word == "attention");
  }
  return attends;
}

}  // namespace

void read_recurrent_gemma(ConfigParts& parts) {
  read_sizes(parts);
  read_context(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer attention = read_layer(parts);
  attention.feed_forward.width /= 2;  // the config counts gate and up together
  domain::Layer recurrent = recurrent_layer(read_griffin(parts, attention.attention.heads));
  recurrent.feed_forward = attention.feed_forward;
  recurrent.norms = attention.norms;
  const std::int64_t window =
      parts.size_or({"attention_window_size"}, "slidingWindow", kContextTokens, 2048);
  const std::vector<bool> attends = attending_blocks(parts);
  for (std::int64_t i = 0; i < count && !attends.empty(); ++i) {
    const bool is_attention = attends[static_cast<std::size_t>(i) % attends.size()];
    add_layer(parts, is_attention ? sliding(attention, window) : recurrent);
  }
  read_rotary_dim(parts, attention.attention.head_dim);
}

}  // namespace gpushape::catalog
