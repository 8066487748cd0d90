// Encoders that save matrices: ConvBERT (arXiv 2008.02496), half of whose heads are convolutions
// that the text itself makes, and SqueezeBERT (arXiv 2006.11316), whose matrices are cut into
// groups. Sources: their classes in transformers.
#include <algorithm>
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kGroups{.least = 1, .most = 1'000};

// A network in groups: each sees its part of the inputs. The whole width stays to be held.
void add_grouped(std::vector<domain::ExtraTensor>& extra, const std::string& name,
                 std::int64_t rows, std::int64_t columns, std::int64_t groups) {
  add_linear(extra, name, rows, std::max<std::int64_t>(1, columns / groups));
}

void cut_network(domain::Layer& layer, std::int64_t hidden, std::int64_t in_groups,
                 std::int64_t out_groups) {
  const std::int64_t width = layer.feed_forward.width;
  layer.feed_forward.width = 0;
  layer.feed_forward.bias = false;
  add_grouped(layer.extra, "intermediate.dense", width, hidden, in_groups);
  add_grouped(layer.extra, "output.dense", hidden, width, out_groups);
}

}  // namespace

void read_convbert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t narrow = parts.size_or({"embedding_size"}, "", kHiddenSize, 768);
  read_encoder(parts, {.embedding_width = narrow});
  const std::int64_t hidden = model.hidden_size;
  if (narrow != hidden) add_linear(model.extra, "embeddings_project", hidden, narrow);
  const std::int64_t share = parts.size_or({"head_ratio"}, "", kHeads, 2);
  const std::int64_t kernel = parts.size_or({"conv_kernel_size"}, "", kWidth, 9);
  const std::int64_t groups = parts.size_or({"num_groups"}, "", kGroups, 1);
  for (domain::LayerRun& run : model.layers) {
    domain::Layer& layer = run.layer;
    domain::Attention& attention = layer.attention;
    attention.heads = std::max<std::int64_t>(1, attention.heads / share);
    attention.kv_heads = attention.heads;
    const std::int64_t inner = attention.heads * attention.head_dim;
    const std::string prefix = "attention.self.";
    layer.extra.push_back(
        {.name = prefix + "key_conv_attn_layer.depthwise", .rows = hidden, .columns = kernel});
    add_linear(layer.extra, prefix + "key_conv_attn_layer.pointwise", inner, hidden);
    add_linear(layer.extra, prefix + "conv_kernel_layer", attention.heads * kernel, inner);
    add_linear(layer.extra, prefix + "conv_out_layer", inner, hidden);
    // The output's matrix takes what the convolutions give as well.
    if (hidden > inner)
      layer.extra.push_back({.name = "attention.output.dense.convolution",
                             .rows = hidden,
                             .columns = hidden - inner,
                             .is_linear = true});
    if (groups > 1) cut_network(layer, hidden, groups, groups);
  }
  add_electra_head(parts, narrow);
  model.has_head = false;
}

void read_squeezebert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {});
  const std::int64_t hidden = model.hidden_size;
  const auto groups = [&](const char* field, std::int64_t otherwise) {
    return parts.size_or({field}, "", kGroups, otherwise);
  };
  for (domain::LayerRun& run : model.layers) {
    domain::Layer& layer = run.layer;
    layer.attention.borrows_weights = true;  // its matrices are those beside it
    add_grouped(layer.extra, "attention.query", hidden, hidden, groups("q_groups", 4));
    add_grouped(layer.extra, "attention.key", hidden, hidden, groups("k_groups", 4));
    add_grouped(layer.extra, "attention.value", hidden, hidden, groups("v_groups", 4));
    add_grouped(layer.extra, "post_attention", hidden, hidden, groups("post_attention_groups", 1));
    cut_network(layer, hidden, groups("intermediate_groups", 4), groups("output_groups", 4));
  }
  add_bert_head(parts, true);
  model.has_head = false;
}

}  // namespace gpushape::catalog
