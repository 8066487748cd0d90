// RWKV-5 (Eagle): no attention, a matrix for each head as state. Source: Rwkv5Config and
// RwkvForCausalLM, published with the checkpoints (configuration_rwkv5.py, modeling_rwkv5.py).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

// 5.0 and 5.1 have no gate, or another decay.
constexpr std::string_view kVersion = "5_2";

void check_version(const ConfigParts& parts) {
  const Fields& fields = parts.fields();
  if (!fields.given("model_version")) return;
  const std::string version = fields.text("model_version").value_or(std::string(kVersion));
  if (version == kVersion) return;
  fields.complain("model_version", fmt::format("RWKV version '{}' is not understood", version),
                  fmt::format("known is {}", kVersion));
}

domain::Recurrent read_time_mixing(const ConfigParts& parts) {
  const std::int64_t hidden_size = parts.model().hidden_size;
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Rwkv;
  mixer.inner = hidden_size;
  mixer.value_dim = parts.size_or({"head_size"}, "recurrent", kHeadDim, 64);
  const std::int64_t values =
      parts.size_if({"attention_hidden_size"}, "", kWidth).value_or(hidden_size);
  mixer.value_heads = std::max<std::int64_t>(1, values / mixer.value_dim);
  mixer.state_bits = 32;
  return mixer;
}

// Three and a half times the hidden size, down to a multiple of 32, where the config says none.
std::int64_t read_width(const ConfigParts& parts) {
  if (const auto width = parts.size_if({"intermediate_size"}, "feedForwardWidth", kWidth))
    return *width;
  parts.from_family("feedForwardWidth");
  return parts.model().hidden_size * 7 / 2 / 32 * 32;
}

}  // namespace

void read_rwkv5(ConfigParts& parts) {
  check_version(parts);
  read_outer(parts);
  domain::Model& model = parts.model();
  const std::int64_t hidden_size = model.hidden_size;
  model.rope = {};
  // Embedding and head are two matrices in every published checkpoint, whatever its config says.
  model.tied_embeddings = false;
  parts.from_family("tiedEmbeddings");
  domain::Layer layer = recurrent_layer(read_time_mixing(parts));
  layer.norm_bias = true;
  layer.feed_forward.width = read_width(parts);
  layer.feed_forward.gated = false;
  layer.extra = {{.name = "feed_forward.receptance",
                  .rows = hidden_size,
                  .columns = hidden_size,
                  .is_linear = true},
                 {.name = "feed_forward.time_mix_key", .rows = hidden_size},
                 {.name = "feed_forward.time_mix_receptance", .rows = hidden_size}};
  model.layers.push_back({layer, read_layer_count(parts)});
  model.extra.push_back({.name = "blocks.0.pre_ln", .rows = hidden_size});
  model.extra.push_back({.name = "blocks.0.pre_ln.bias", .rows = hidden_size});
}

}  // namespace gpushape::catalog
