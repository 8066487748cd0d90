// DFlash (arXiv 2602.06036): a draft of a few decoder layers, which proposes a block of tokens at
// once out of the hidden states that some layers of the target model had for all tokens before. It
// works with the target's embedding and head. DFlash 2 adds convolutions over the block and a
// selector of candidates. Sources: z-lab's dflash.py (DFlashDraftModel: layers, norm, fc,
// hidden_norm), vLLM model_executor/models/qwen3_dflash.py; the tensors of
// https://huggingface.co/z-lab/Qwen3.8-27B-DFlash2.
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "document/reader.hpp"
#include "domain/draft_head.hpp"

namespace gpushape::catalog {
namespace {

std::int64_t size_in(document::Reader& config, const char* field) {
  return config.integer(field, kHiddenSize).value_or(0);
}

/// Behind attention and network of each layer: a kernel for every channel, and what computes
/// another for each group of channels, both ways in time.
void add_convolutions(domain::Model& model, document::Reader& config) {
  const std::int64_t kernel = size_in(config, "conv_kernel_size");
  const std::int64_t group = size_in(config, "conv_group_size");
  if (kernel < 1 || group < 1) return;
  constexpr std::int64_t kWays = 2;
  const std::int64_t hidden = model.hidden_size;
  for (domain::LayerRun& run : model.layers) {
    for (const char* part : {"attention_conv", "mlp_conv"}) {
      run.layer.extra.push_back(
          {.name = fmt::format("{}.base_kernel", part), .rows = kWays * kernel, .columns = hidden});
      run.layer.extra.push_back({.name = fmt::format("{}.kernel_projection", part),
                                 .rows = kWays * kernel * (hidden / group),
                                 .columns = hidden,
                                 .is_linear = true});
    }
  }
}

/// What chooses among the likeliest tokens by the token before.
void add_selector(domain::Model& model, document::Reader& config) {
  const std::int64_t rank = size_in(config, "selector_rank");
  if (rank < 1) return;
  std::vector<domain::ExtraTensor>& extra = model.layers.front().layer.extra;
  extra.push_back({.name = "candidate_selector.hidden_projection",
                   .rows = rank,
                   .columns = model.hidden_size,
                   .is_linear = true});
  for (const char* side : {"predecessor", "successor"}) {
    extra.push_back({.name = fmt::format("candidate_selector.{}_codebook", side),
                     .rows = model.vocabulary,
                     .columns = rank});
  }
}

void complain_of_further_heads(document::Reader& config) {
  for (const char* field : {"projector_type", "markov_rank", "linear_context"}) {
    if (config.node(field) == nullptr) continue;
    config.complain(field,
                    fmt::format("'{}' is not understood: DFlash's own projection is `fc`", field),
                    "other drafts under its class (DSpark) have further heads");
  }
}

std::int64_t length_of(const document::Node* list) {
  const bool is_list = list != nullptr && list->is(document::Node::Kind::Sequence);
  return is_list ? std::ssize(list->items()) : 0;
}

/// How many layers of the target are read: z-lab's list them apart, those of speculators and others
/// beside the sizes. 0 where none does.
std::int64_t read_layers(const ConfigParts& parts, std::optional<document::Reader>& own) {
  std::int64_t layers = own ? length_of(own->node("target_layer_ids")) : 0;
  for (const char* field : {"target_layer_ids", "aux_hidden_state_layer_ids"}) {
    const document::Node* list = parts.root().node(field);
    if (layers == 0) layers = length_of(list);
  }
  return layers;
}

/// The cache holds every token of Laguna's drafts, whatever their window: 35.64 GiB of vLLM 0.25.1
/// hold 1,018,134 tokens of Laguna-S-2.1 and its draft, 37,587 bytes each at the longest context,
/// of which six full layers of the draft are 12,288
/// (https://github.com/sostrowsk/dgx-spark-local-llm laguna-int4-pinned.log).
void keep_everything(domain::Model& model) {
  for (domain::LayerRun& run : model.layers) {
    run.layer.attention.kind = domain::LayerKind::Full;
    run.layer.attention.window_tokens = 0;
  }
}

}  // namespace

void add_dflash(ConfigParts& parts) {
  domain::Model& model = parts.model();
  model.family = parts.family().model_type();
  if (model.layers.empty()) return;
  std::optional<document::Reader> own = parts.root().mapping("dflash_config");
  if (own) complain_of_further_heads(*own);
  const std::int64_t layers = read_layers(parts, own);
  if (layers < 1 || layers > kLayers.most) {
    (own ? *own : parts.root().reader())
        .complain(
            fmt::format("{} names no 'target_layer_ids'", own ? "dflash_config" : "config.json"),
            "they are the layers of the target model whose hidden states are read");
    return;
  }
  for (const char* field : {"block_size", "num_target_layers", "speculators_config",
                            "speculators_model_type", "speculators_version", "target_hidden_size"})
    static_cast<void>(parts.root().given(field));
  // DeepSeek-V4 keeps several streams of hidden states.
  const std::int64_t streams = parts.fields().integer("hc_mult", kExperts).value_or(1);
  model.has_head = false;
  model.role = domain::Role::Llm;
  // The first layer is unlike its kin: it holds what reads the target's hidden states.
  if (model.layers.front().count > 1) {
    domain::LayerRun first = model.layers.front();
    first.count = 1;
    --model.layers.front().count;
    model.layers.insert(model.layers.begin(), std::move(first));
  }
  if (own) add_convolutions(model, *own);
  std::vector<domain::ExtraTensor>& extra = model.layers.front().layer.extra;
  extra.push_back({.name = "fc",
                   .rows = model.hidden_size,
                   .columns = layers * streams * model.hidden_size,
                   .is_linear = true});
  extra.push_back({.name = "hidden_norm", .rows = model.hidden_size});
  if (parts.family().model_type() == "dflash_laguna") {  // a norm on each of what it reads
    extra.push_back({.name = "aux_hidden_norms", .rows = layers * model.hidden_size});
    keep_everything(model);
  }
  if (own) add_selector(model, *own);
  const auto drafted = parts.root().integer("draft_vocab_size", kVocabulary);
  if (drafted && *drafted < model.vocabulary) domain::add_own_head(model, *drafted);
  parts.from_config("layers");
}

}  // namespace gpushape::catalog
