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

}  // namespace

void add_dflash(ConfigParts& parts) {
  domain::Model& model = parts.model();
  model.family = parts.family().model_type();
  if (model.layers.empty()) return;
  document::Reader& config = parts.root().reader();
  std::optional<document::Reader> own = parts.root().mapping("dflash_config");
  if (!own) {
    if (!parts.root().given("dflash_config"))
      config.complain(std::string("config.json has no field 'dflash_config'"),
                      "it lists the layers of the target model whose hidden states are read");
    return;
  }
  for (const char* field : {"projector_type", "markov_rank", "linear_context"}) {
    if (own->node(field) == nullptr) continue;
    own->complain(field,
                  fmt::format("'{}' is not understood: DFlash's own projection is `fc`", field),
                  "other drafts under its class (DSpark) have further heads");
  }
  const document::Node* read_layers = own->node("target_layer_ids");
  const bool is_list = read_layers != nullptr && read_layers->is(document::Node::Kind::Sequence);
  const std::int64_t layers = is_list ? std::ssize(read_layers->items()) : 0;
  if (layers < 1 || layers > kLayers.most) {
    own->complain(std::string("dflash_config names no 'target_layer_ids'"),
                  "it lists the layers of the target model whose hidden states are read");
    return;
  }
  for (const char* field : {"block_size", "num_target_layers"})
    static_cast<void>(parts.root().given(field));
  model.has_head = false;
  model.role = domain::Role::Llm;
  // The first layer is unlike its kin: it holds what reads the target's hidden states.
  if (model.layers.front().count > 1) {
    domain::LayerRun first = model.layers.front();
    first.count = 1;
    --model.layers.front().count;
    model.layers.insert(model.layers.begin(), std::move(first));
  }
  add_convolutions(model, *own);
  std::vector<domain::ExtraTensor>& extra = model.layers.front().layer.extra;
  extra.push_back({.name = "fc",
                   .rows = model.hidden_size,
                   .columns = layers * model.hidden_size,
                   .is_linear = true});
  extra.push_back({.name = "hidden_norm", .rows = model.hidden_size});
  add_selector(model, *own);
  parts.from_config("layers");
}

}  // namespace gpushape::catalog
