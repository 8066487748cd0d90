// DFlash (arXiv 2602.06036): a draft of a few decoder layers, which proposes a block of tokens at
// once out of the hidden states that some layers of the target model had for all tokens before. It
// works with the target's embedding and head. Sources: z-lab's dflash.py (DFlashDraftModel: layers,
// norm, fc, hidden_norm), vLLM model_executor/models/qwen3_dflash.py.
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "document/reader.hpp"

namespace gpushape::catalog {

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
  domain::Layer& layer = model.layers.front().layer;
  layer.extra.push_back({.name = "fc",
                         .rows = model.hidden_size,
                         .columns = layers * model.hidden_size,
                         .is_linear = true});
  layer.extra.push_back({.name = "hidden_norm", .rows = model.hidden_size});
  // One layer is unlike its kin now.
  if (model.layers.front().count > 1) {
    domain::LayerRun rest = model.layers.front();
    rest.layer.extra.clear();
    --rest.count;
    model.layers.front().count = 1;
    model.layers.insert(model.layers.begin() + 1, std::move(rest));
  }
  parts.from_config("layers");
}

}  // namespace gpushape::catalog
