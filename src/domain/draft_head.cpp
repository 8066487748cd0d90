#include "domain/draft_head.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "domain/modules.hpp"

namespace gpushape::domain {
namespace {

constexpr std::int64_t kReadLayers = 3;  // of the target, whose hidden states EAGLE-3 reads
constexpr std::int64_t kUsualVocabulary = 32'000;
constexpr std::string_view kHead = "lm_head";

const Layer* first_layer_with(const Model& model, bool (*has)(const Layer&)) {
  const auto run =
      std::ranges::find_if(model.layers, [&](const LayerRun& each) { return has(each.layer); });
  return run == model.layers.end() ? nullptr : &run->layer;
}

bool has_keys_and_values(const Layer& layer) {
  const Attention& attention = layer.attention;
  return attention.heads > 0 && attention.kv_heads > 0 && !attention.latent &&
         !attention.compression;
}

std::int64_t bytes_of_head(const Model& draft, std::int64_t vocabulary) {
  return stored_table_bytes(draft) / draft.vocabulary * vocabulary;
}

/// Shares of what is loaded, which is all but the embedding.
SizeDoubt doubt_of(const Model& draft, std::int64_t less, std::int64_t more) {
  const auto loaded = static_cast<double>(stored_bytes(draft) - stored_table_bytes(draft));
  return {.less = static_cast<double>(less) / loaded, .more = static_cast<double>(more) / loaded};
}

bool has_dense_network(const Layer& layer) { return layer.feed_forward.width > 0; }

}  // namespace

void add_own_head(Model& draft, std::int64_t vocabulary) {
  draft.layers.front().layer.extra.push_back({.name = std::string(kHead),
                                              .rows = vocabulary,
                                              .columns = draft.hidden_size,
                                              .is_dealt_out = true});
}

void add_eagle(Model& draft) {
  draft.has_head = false;
  draft.layers.front().layer.extra.push_back({.name = "fc",
                                              .rows = draft.hidden_size,
                                              .columns = 2 * draft.hidden_size,
                                              .is_linear = true});
}

void add_eagle3(Model& draft, const Eagle3& eagle) {
  const std::int64_t hidden = draft.hidden_size;
  draft.has_head = false;  // that of the whole vocabulary
  Layer& layer = draft.layers.front().layer;
  const Attention& attention = layer.attention;
  layer.extra.push_back({.name = "self_attn.qkv_proj.of_embedding",
                         .rows = (attention.heads + 2 * attention.kv_heads) * attention.head_dim,
                         .columns = hidden,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back({.name = "hidden_norm", .rows = hidden});
  layer.extra.push_back({.name = "fc",
                         .rows = hidden,
                         .columns = kReadLayers * eagle.target_hidden_size,
                         .is_linear = true});
  if (eagle.norms_states)
    layer.extra.push_back({.name = "input_norm", .rows = kReadLayers * eagle.target_hidden_size});
  if (eagle.vocabulary) add_own_head(draft, *eagle.vocabulary);
}

std::optional<Model> usual_draft(const Model& target, std::string_view method) {
  const bool is_third = method == "eagle3";
  const Layer* attending = first_layer_with(target, has_keys_and_values);
  const Layer* dense = first_layer_with(target, has_dense_network);
  if ((!is_third && method != "eagle") || attending == nullptr || dense == nullptr)
    return std::nullopt;
  Model draft;
  draft.family = is_third ? "eagle3" : "eagle";
  draft.architecture = is_third ? "LlamaForCausalLMEagle3" : "EagleLlamaForCausalLM";
  draft.hidden_size = target.hidden_size;
  draft.vocabulary = target.vocabulary;
  draft.max_context_tokens = target.max_context_tokens;
  draft.rope = target.rope;
  draft.weights.other = target.weights.other;
  draft.weights.linear = target.weights.other;
  const Attention& attention = attending->attention;
  Layer layer;
  layer.attention = {.heads = attention.heads,
                     .kv_heads = attention.kv_heads,
                     .head_dim = attention.head_dim,
                     .value_head_dim = attention.value_head_dim};
  layer.feed_forward = {.width = dense->feed_forward.width};
  draft.layers = {{.layer = std::move(layer), .count = 1}};
  if (is_third) {
    add_eagle3(draft, {.target_hidden_size = target.hidden_size,
                       .vocabulary = std::min(kUsualVocabulary, target.vocabulary),
                       .norms_states = false});
    // Some read the target's head, some have a whole one of their own.
    const std::int64_t head = bytes_of_head(draft, std::min(kUsualVocabulary, target.vocabulary));
    draft.weights.doubt = doubt_of(draft, head, stored_table_bytes(draft) - head);
  } else {
    add_eagle(draft);
  }
  return draft;
}

std::optional<Model> of_stored_size(const Model& draft, Bytes stored, bool has_own_head) {
  // Beside weights lie the numbers of the tokens of the smaller vocabulary.
  constexpr double kSame = 0.02;
  Model headless = draft;
  std::vector<ExtraTensor>& extra = headless.layers.front().layer.extra;
  std::erase_if(extra, [](const ExtraTensor& tensor) { return tensor.name == kHead; });
  const auto table = static_cast<double>(stored_table_bytes(headless));
  // In tables, beside the layer and the embedding.
  double rest = static_cast<double>(stored.count() - stored_bytes(headless)) / table;
  if (rest < -kSame) rest += 1;  // the embedding is no part of it
  if (rest < -kSame || rest > 1 + kSame) return std::nullopt;
  const bool is_whole = rest > 1 - kSame;
  headless.weights.doubt.reset();
  if (rest < kSame || (is_whole && !has_own_head)) return headless;
  const double rows = rest * static_cast<double>(headless.vocabulary);
  add_own_head(headless, is_whole ? headless.vocabulary : std::llround(rows));
  return headless;
}

}  // namespace gpushape::domain
