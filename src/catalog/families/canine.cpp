// CANINE (arXiv 2103.06874): an encoder of characters, which hashes each of them, attends to a
// window of them once, shortens the sequence for its deep layers and lengthens it again behind
// them. Source: CanineConfig and modeling_canine.py of transformers.
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// Layers over all characters: one before the deep layers and one behind them.
constexpr std::int64_t kCharacterLayers = 2;

// A convolution over `columns` values of a window, and the norm behind it.
void add_convolution(std::vector<domain::ExtraTensor>& extra, const std::string& name,
                     std::int64_t hidden_size, std::int64_t columns) {
  extra.push_back({.name = name, .rows = hidden_size, .columns = columns});
  extra.push_back({.name = name + ".bias", .rows = hidden_size});
  add_biased_norm(extra, name + ".norm", hidden_size);
}

}  // namespace

void read_canine(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const auto& fields = parts.fields();
  model.hidden_size = parts.size({"hidden_size"}, "hiddenSize", kHiddenSize);
  // Each character is hashed several times, each time into a slice of the hidden size: together as
  // large as one table of so many rows.
  model.vocabulary = parts.size_or({"num_hash_buckets"}, "vocabulary", kVocabulary, 16384);
  static_cast<void>(fields.integer("num_hash_functions", kHeads));
  model.tied_embeddings = true;
  model.has_head = false;
  model.has_final_norm = false;
  read_context(parts, Positions::Stored);
  model.rope = {};
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  model.layers.push_back({layer, read_layer_count(parts) + kCharacterLayers});

  const std::int64_t hidden = model.hidden_size;
  auto& extra = model.extra;
  extra.push_back({.name = "char_embeddings.char_position_embeddings",
                   .rows = model.max_context_tokens,
                   .columns = hidden});
  extra.push_back({.name = "char_embeddings.token_type_embeddings",
                   .rows = fields.integer("type_vocab_size", kVocabulary).value_or(16),
                   .columns = hidden});
  add_biased_norm(extra, "char_embeddings.norm", hidden);
  const std::int64_t rate = fields.integer("downsampling_rate", kWidth).value_or(4);
  const std::int64_t kernel = fields.integer("upsampling_kernel_size", kWidth).value_or(4);
  add_convolution(extra, "chars_to_molecules.conv", hidden, rate * hidden);
  add_convolution(extra, "projection.conv", hidden, kernel * 2 * hidden);
  extra.push_back({.name = "pooler.dense", .rows = hidden, .columns = hidden, .is_linear = true});
  extra.push_back({.name = "pooler.dense.bias", .rows = hidden});
}

}  // namespace gpushape::catalog
