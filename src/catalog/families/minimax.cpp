// MiniMax-Text-01 and M1 (lightning attention, arXiv 2501.08313), M2 and M3. Sources: the
// publisher's modeling files and vLLM's minimax_text_01, minimax_m2 and minimax_m3.
#include <fmt/format.h>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {

void read_minimax(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_attention(parts);
  domain::Experts experts = read_experts(parts, {.width_is_intermediate = true});
  experts.shared_width = parts
                             .size_if({"shared_intermediate_size"}, "sharedExpertWidth",
                                      {.least = 0, .most = kWidth.most})
                             .value_or(0);
  full.feed_forward.experts = experts;
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Lightning;
  mixer.key_heads = full.attention.heads;
  mixer.key_dim = full.attention.head_dim;
  mixer.value_heads = full.attention.heads;
  mixer.value_dim = full.attention.head_dim;
  mixer.has_norm = true;
  // vLLM model_executor/layers/mamba/mamba_utils.py, linear_attention_state_dtype: the dtype of the
  // model (its first engine kept float32).
  mixer.state_bits = state_bits(parts);
  domain::Layer lightning = recurrent_layer(mixer);
  lightning.feed_forward = full.feed_forward;
  std::vector<bool> attends;
  if (parts.fields().given("layer_types")) {
    static_cast<void>(parts.fields().given("attn_type_list"));  // the older form
    for (const std::string& word : layer_words(parts, "layer_types", count)) {
      if (word != "full_attention" && word != "linear_attention")
        parts.fields().complain("layer_types",
                                fmt::format("layer type '{}' is not understood", word),
                                "known are full_attention and linear_attention");
      attends.push_back(word == "full_attention");
    }
  } else {
    for (const std::int64_t type : layer_numbers(parts, "attn_type_list", count))
      attends.push_back(type != 0);
    if (!parts.fields().given("attn_type_list"))
      parts.fields().complain("attn_type_list",
                              "config.json has neither attn_type_list nor "
                              "layer_types",
                              "which layers attend cannot be known without one");
  }
  parts.from_config("recurrent");
  for (const bool attend : attends) add_layer(parts, attend ? full : lightning);
  read_rotary_dim(parts, full.attention.head_dim);
}

void read_minimax_m2(ConfigParts& parts) {
  for (const std::int64_t attends : parts.integers("attn_type_list", {.least = 0, .most = 1})) {
    if (attends != 0) continue;
    parts.fields().complain("attn_type_list",
                            "a minimax_m2 model with lightning attention is not "
                            "understood");
    break;
  }
  read_mixture(parts, {.width_is_intermediate = true,
                       .correction_bias = parts.flag("use_routing_bias", "", true)});
  // Its modules for further tokens are announced in the config, but not published.
  static_cast<void>(parts.fields().given("num_mtp_modules"));
}

namespace {

struct Sparse {
  domain::Indexer indexer;
  std::vector<std::int64_t> layers;  // 1 where a layer has the indexer
};

std::optional<Sparse> read_sparse(const ConfigParts& parts, std::int64_t count) {
  auto reader = parts.fields().mapping("sparse_attention_config");
  if (!reader) return std::nullopt;
  const Fields fields(*reader);
  if (!fields.boolean("use_sparse_attention").value_or(true)) return std::nullopt;
  Sparse sparse;
  sparse.indexer.heads = fields.required_integer("sparse_num_index_heads", kHeads);
  sparse.indexer.head_dim = fields.required_integer("sparse_index_dim", kHeadDim);
  const std::int64_t blocks = fields.integer("sparse_topk_blocks", kContextTokens).value_or(0);
  const std::int64_t tokens = fields.integer("sparse_block_size", kHeadDim).value_or(0);
  sparse.indexer.top_tokens = blocks * tokens;
  sparse.layers = reader->integers("sparse_attention_freq", {.least = 0, .most = 1});
  if (sparse.layers.size() != static_cast<std::size_t>(count))
    fields.complain(
        "sparse_attention_freq",
        fmt::format("sparse_attention_freq lists {} layers of {}", sparse.layers.size(), count));
  return sparse;
}

}  // namespace

void read_minimax_m3(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer mixture;
  mixture.attention = read_attention(parts);
  domain::Layer dense = mixture;
  dense.feed_forward.width = parts.size({"dense_intermediate_size"}, "feedForwardWidth", kWidth);
  domain::Experts experts = read_experts(
      parts,
      {.width_is_intermediate = true, .correction_bias = parts.flag("use_routing_bias", "", true)});
  const std::int64_t shared =
      parts.fields().integer("n_shared_experts", {.least = 0, .most = 100}).value_or(0);
  experts.shared_width = shared * parts.size_or({"shared_intermediate_size"}, "sharedExpertWidth",
                                                kWidth, experts.width);
  mixture.feed_forward.experts = experts;
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  const std::optional<Sparse> sparse = read_sparse(parts, count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    domain::Layer layer = i < mixtures.size() && mixtures[i] ? mixture : dense;
    if (sparse && i < sparse->layers.size() && sparse->layers[i] != 0)
      layer.attention.indexer = sparse->indexer;
    add_layer(parts, layer);
  }
  if (sparse) parts.from_config("indexer");
  read_rotary_dim(parts, mixture.attention.head_dim);
  const bool announces = parts.fields().given("num_nextn_predict_layers");
  if (!parts.fields().given("num_mtp_modules") && !announces) return;
  parts.model().notes.emplace_back(
      "the modules for further tokens that the config announces are not counted: how they are "
      "built is not published");
}

}  // namespace gpushape::catalog
