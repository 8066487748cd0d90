// BART and its kin: an encoder of text as a tower, and a decoder whose layers attend to it, too.
// They differ in how they tell positions, in where norms stand, and in what the encoder's attention
// holds. Sources: their configuration_*.py and modeling_*.py in transformers.
#include <algorithm>
#include <array>
#include <string_view>

#include "catalog/families/decoder.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Learned positions, or fixed ones in a table that is a parameter as well; else computed.
enum class Table { None, OfTokens };

struct Kin {
  std::string_view type;
  Table table = Table::OfTokens;
  std::int64_t padding_rows = 0;  ///< before the first position
  bool norms_embeddings = true;   ///< a norm behind the embeddings
  bool norms_end = false;         ///< norms before each half of a layer, and once more at the end
  bool attention_bias = true;
  std::int64_t encoder_matrices = 4;  ///< of an encoder's attention
  std::int64_t encoder_norms = 2;
};

// The first row is BART's, and that of those which are built as it is.
constexpr auto kKin = std::to_array<Kin>({
    {.type = "bart", .padding_rows = 2},
    {.type = "mbart", .padding_rows = 2, .norms_end = true},
    {.type = "m2m_100", .table = Table::None, .norms_embeddings = false, .norms_end = true},
    {.type = "marian", .norms_embeddings = false},
    {.type = "pegasus", .norms_embeddings = false, .norms_end = true},
    {.type = "blenderbot", .norms_embeddings = false, .norms_end = true},
    {.type = "blenderbot-small"},
    // Queries, keys and values of the tokens that see everything are projected apart.
    {.type = "led", .encoder_matrices = 7},
    {.type = "bigbird_pegasus", .norms_embeddings = false, .norms_end = true},
    // Global tokens beside the text, with a norm of their own in every layer.
    {.type = "pegasus_x",
     .table = Table::None,
     .norms_embeddings = false,
     .norms_end = true,
     .attention_bias = false,
     .encoder_norms = 3},
    {.type = "fsmt", .padding_rows = 2, .norms_embeddings = false},
});

const Kin& kin_of(std::string_view type) {
  const auto* const row = std::ranges::find(kKin, type, &Kin::type);
  return row == kKin.end() ? kKin.front() : *row;
}

struct Sizes {
  std::int64_t hidden = 0;
  std::int64_t encoder_tokens = 0;
  std::int64_t decoder_tokens = 0;
  bool attention_bias = true;
};

domain::Tower read_encoder(const ConfigParts& parts, const Kin& kin, const Sizes& sizes) {
  domain::Tower tower;
  tower.kind = domain::TowerKind::Encoder;
  const std::int64_t hidden = sizes.hidden;
  tower.hidden_size = hidden;
  tower.layers = parts.size({"encoder_layers"}, "towers", kLayers);
  tower.heads = parts.size({"encoder_attention_heads"}, "", kHeads);
  tower.width = parts.size({"encoder_ffn_dim"}, "", kWidth);
  const std::int64_t further_matrices = kin.encoder_matrices - 4;
  const std::int64_t layer = values_of({.hidden = hidden,
                                        .width = tower.width,
                                        .attention_bias = sizes.attention_bias,
                                        .norm_values = 2 * kin.encoder_norms * hidden}) +
                             further_matrices * linear_values(hidden, hidden);
  tower.parameters = tower.layers * layer;
  if (kin.table == Table::OfTokens)
    tower.parameters += (sizes.encoder_tokens + kin.padding_rows) * hidden;
  if (kin.norms_embeddings) tower.parameters += 2 * hidden;
  if (kin.norms_end) tower.parameters += 2 * hidden;
  tower.inner_tokens = sizes.encoder_tokens;
  tower.output_tokens = sizes.encoder_tokens;
  return tower;
}

void add_decoder_tables(domain::Model& model, const Kin& kin, const Sizes& sizes) {
  if (kin.table == Table::OfTokens)
    model.extra.push_back({.name = "decoder.position_embeddings",
                           .rows = sizes.decoder_tokens + kin.padding_rows,
                           .columns = sizes.hidden});
  if (kin.norms_embeddings)
    add_biased_norm(model.extra, "decoder.layernorm_embedding", sizes.hidden);
}

// Of those that may have a vocabulary for each side: the encoder's, which no head shares.
std::int64_t own_vocabulary(const ConfigParts& parts) {
  const Fields& fields = parts.fields();
  const std::string& type = parts.model().family;
  if (type == "fsmt" && !parts.model().tied_embeddings)
    return fields.integer("src_vocab_size", kVocabulary).value_or(0);
  if (type == "marian" && !fields.boolean("share_encoder_decoder_embeddings").value_or(true))
    return fields.integer("vocab_size", kVocabulary).value_or(0);
  return 0;
}

// What an encoder holds besides, in the words of single families.
void add_own_parts(const ConfigParts& parts, domain::Tower& tower) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  if (model.family == "pegasus_x")
    tower.parameters += hidden * parts.size_or({"num_global_tokens"}, "", kContextTokens, 32);
  tower.parameters += own_vocabulary(parts) * hidden;
  // Its head is the decoder's embedding whatever the config says of both sides' tables.
  if (model.family == "fsmt") model.tied_embeddings = true;
}

// FSMT and Marian may count the words of each side; the decoder's are the model's.
void read_vocabulary(const ConfigParts& parts) {
  const Fields& fields = parts.fields();
  const std::string_view field = fields.first_given({"tgt_vocab_size", "decoder_vocab_size"});
  if (field.empty()) return;
  if (const auto words = fields.integer(field, kVocabulary)) parts.model().vocabulary = *words;
  parts.from_config("vocabulary");
}

Sizes read_text_sizes(const ConfigParts& parts, const Kin& kin) {
  domain::Model& model = parts.model();
  Sizes sizes{.hidden = model.hidden_size, .attention_bias = kin.attention_bias};
  if (model.family == "bigbird_pegasus") sizes.attention_bias = parts.flag("use_bias", "", false);
  if (model.family == "led") {
    sizes.encoder_tokens =
        parts.size_or({"max_encoder_position_embeddings"}, "", kContextTokens, 16384);
    sizes.decoder_tokens =
        parts.size_or({"max_decoder_position_embeddings"}, "contextTokens", kContextTokens, 1024);
    model.max_context_tokens = sizes.decoder_tokens;
  } else {
    read_context(parts, Positions::Stored);
    sizes.encoder_tokens = model.max_context_tokens;
    sizes.decoder_tokens = model.max_context_tokens;
  }
  model.rope = {};
  return sizes;
}

}  // namespace

domain::Layer bart_layer(std::int64_t hidden, std::int64_t heads, std::int64_t width) {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = heads;
  attention.kv_heads = heads;
  attention.head_dim = std::max<std::int64_t>(1, hidden / heads);
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = true;
  attention.output_bias = true;
  layer.cross_attention = attention;
  layer.cross_attention->kind = domain::LayerKind::Cross;
  layer.feed_forward.width = width;
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = true;
  layer.norms = 3;
  layer.norm_bias = true;
  return layer;
}

void read_bart(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const Kin& kin = kin_of(model.family);
  const bool counts_sides = parts.fields().given("tgt_vocab_size");
  if (counts_sides) {
    model.hidden_size = parts.size({"d_model"}, "hiddenSize", kHiddenSize);
    model.tied_embeddings =
        parts.flag("tie_word_embeddings", "tiedEmbeddings", parts.traits().ties_embeddings);
    model.final_norm_bias = true;
  } else {
    read_sizes(parts);
  }
  read_vocabulary(parts);
  const Sizes sizes = read_text_sizes(parts, kin);
  model.has_final_norm = kin.norms_end;
  const std::int64_t heads = parts.size({"decoder_attention_heads"}, "attentionHeads", kHeads);
  domain::Tower tower = read_encoder(parts, kin, sizes);
  add_own_parts(parts, tower);
  const std::int64_t width = parts.size({"decoder_ffn_dim"}, "feedForwardWidth", kWidth);
  domain::Layer layer = bart_layer(model.hidden_size, heads, width);
  for (domain::Attention* attention : {&layer.attention, &*layer.cross_attention}) {
    attention->qkv_bias = sizes.attention_bias;
    attention->output_bias = sizes.attention_bias;
  }
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  model.layers.push_back({layer, parts.size({"decoder_layers"}, "layers", kLayers)});
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  model.towers.push_back(tower);
  add_decoder_tables(model, kin, sizes);
}

}  // namespace gpushape::catalog
