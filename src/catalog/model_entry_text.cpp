#include "catalog/model_entry_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/entry_layer.hpp"
#include "catalog/entry_parts.hpp"
#include "catalog/entry_stored.hpp"
#include "catalog/entry_weights.hpp"
#include "catalog/model_entry.hpp"
#include "document/text_format.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;

// What readers of other files call a fact, and the fact of an entry that it is the source of.
struct OtherName {
  std::string_view source_fact;
  std::string_view fact;
};
constexpr auto kOtherNames = std::to_array<OtherName>({
    {"queryKeyNorm", "headNorm"},
    {"slidingWindow", "window"},
    {"slidingWindow", "attention"},
    {"slidingWindow", "layerTypes"},
    {"layers", "layerTypes"},
    {"weights", "storedParts"},
    {"weights", "storedParameters"},
});

constexpr std::string_view kConfigSource = "config.json";
constexpr std::string_view kSideFileSource = "hf_quant_config.json";

// Said by how a model is read, never by an entry.
constexpr std::string_view kTotal = "parameters.total";

template <class Visit>
void set_in_flow(Node& facts, std::string_view name, Visit visit) {
  Node inside = Node::mapping();
  inside.in_flow();
  visit(inside);
  facts.set(std::string(name), std::move(inside));
}

std::size_t count_fields(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items()) count += count_fields(item);
  for (const Node::Entry& entry : node.entries()) count += count_fields(entry.value);
  return count;
}

// The layer that the others are said as differences from: the one that makes the entry shortest.
const domain::Layer& common_layer(std::span<const LayerType> types) {
  const auto cost = [&](const LayerType& common) {
    Node all = Node::sequence();
    write_layer_fields(all.add(Node::mapping()), common.layer, {});
    for (const LayerType& type : types)
      write_layer_fields(all.add(Node::mapping()), type.layer, common.layer);
    return count_fields(all);
  };
  return std::ranges::min_element(types, {}, cost)->layer;
}

bool has_attention(const domain::Layer& layer) {
  return layer.attention.kind != domain::LayerKind::None &&
         layer.attention.kind != domain::LayerKind::Recurrent;
}

void set_runs(Node& node, std::span<const domain::LayerRun> runs,
              std::span<const LayerType> types) {
  if (types.size() == 1) {
    std::int64_t count = 0;
    for (const domain::LayerRun& run : runs) count += run.count;
    node.set("layers", count);
  } else {
    node.set("layers", layer_pattern(type_runs(runs, types), types));
  }
}

void write_layers(Node& facts, const domain::Model& model) {
  const std::vector<LayerType> types = layer_types_of(model);
  if (types.empty()) return;
  const domain::Layer& common = common_layer(types);
  write_layer_fields(facts, common, {});
  // An entry whose layers are alike says these whatever they are.
  const auto state = [&](const char* fact, Node value) {
    if (facts.find(fact) == nullptr) facts.set(fact, std::move(value));
  };
  if (types.size() == 1) {
    if (has_attention(common)) state("qkvBias", common.attention.qkv_bias);
    if (!common.feed_forward.experts && !common.recurrent)
      state("feedForwardWidth", common.feed_forward.width);
  }
  if (types.size() > 1) {
    Node& kinds = facts.set("layerTypes", Node::mapping());
    for (const LayerType& type : types) {
      Node& kind = kinds.set(type.name, Node::mapping());
      kind.in_flow();
      write_layer_fields(kind, type.layer, common);
    }
  }
  set_runs(facts, model.layers, types);
  if (!model.multi_token_prediction) return;
  const domain::MultiTokenPrediction& prediction = *model.multi_token_prediction;
  set_in_flow(facts, "multiTokenPrediction", [&](Node& node) {
    if (!prediction.layers.empty()) set_runs(node, prediction.layers, types);
    if (!prediction.extra.empty()) node.set("tensors", tensor_list(prediction.extra));
    if (prediction.holds_embedding) node.set("holdsEmbedding", true);
  });
}

void write_ropes(Node& facts, const domain::Model& model) {
  const domain::Rope plain = plain_rope(model);
  const auto fields_of = [&](const domain::Rope& rope) {
    Node node = Node::mapping();
    node.in_flow();
    FieldWriter<domain::Rope> fields(node, rope, plain);
    visit_rope(fields);
    return node;
  };
  if (model.rope == domain::Rope{} && model.rope != plain) {
    facts.set("rope", kNoPart);
  } else {
    facts.set("rope", fields_of(model.rope));
  }
  if (model.further_ropes.empty()) return;
  Node& further = facts.set("furtherRopes", Node::sequence());
  for (const domain::Rope& rope : model.further_ropes) further.add(fields_of(rope));
}

void write_towers(Node& facts, const domain::Model& model) {
  if (model.towers.empty()) return;
  Node& towers = facts.set("towers", Node::sequence());
  for (const domain::Tower& tower : model.towers) {
    Node& node = towers.add(Node::mapping());
    node.in_flow();
    node.set("kind", name_of(tower.kind));
    domain::Tower base;
    base.kind = tower.kind;
    FieldWriter<domain::Tower> fields(node, tower, base);
    visit_tower(fields);
  }
}

// An entry says what the checkpoint holds where that is not its published total.
bool is_told_by_total(const domain::Model& model) {
  const auto source = std::ranges::find(model.sources, "parameters", &domain::FactSource::fact);
  return source != model.sources.end() && is_published_count(source->source) &&
         model.parameters.stored == model.parameters.total;
}

// Every fact of the model by name; which group each stands in is decided later.
Node all_facts(const domain::Model& model) {
  Node facts = Node::mapping();
  const domain::Model plain;
  FieldWriter<domain::Model> fields(facts, model, plain);
  visit_model(fields);
  if (facts.find("tiedEmbeddings") == nullptr) facts.set("tiedEmbeddings", false);
  if (model.has_head && facts.find("vocabulary") == nullptr) facts.set("vocabulary", 0);
  write_layers(facts, model);
  write_ropes(facts, model);
  write_towers(facts, model);
  write_weights(facts, model.weights);
  if (model.checkpoint_kv_cache) facts.set("kvCacheType", name_of(*model.checkpoint_kv_cache));
  if (model.parameters.stored && !is_told_by_total(model))
    facts.set("storedParameters", *model.parameters.stored);
  if (!model.stored.empty()) facts.set("storedParts", stored_part_list(model.stored));
  return facts;
}

class Grouping {
 public:
  Grouping(const domain::Model& model, const EntryOptions& options)
      : model_(model), options_(options) {}

  void add(std::string_view fact, Node value) {
    group(source_of(fact)).set(std::string(fact), std::move(value));
  }
  Node take() { return std::move(groups_); }

  [[nodiscard]] std::string spelled(const std::string& source) const {
    const std::string& config = options_.config_source;
    if (config.empty()) return source;
    if (source == kConfigSource) return config;
    // The side file lies beside the config.
    if (source == kSideFileSource && config.starts_with(kConfigSource))
      return source + config.substr(kConfigSource.size());
    return source;
  }

 private:
  [[nodiscard]] std::string source_of(std::string_view fact) const {
    const auto known = [&](std::string_view name) {
      return std::ranges::find(model_.sources, name, &domain::FactSource::fact);
    };
    auto found = known(fact);
    if (found == model_.sources.end()) {
      const auto other = std::ranges::find_if(kOtherNames, [&](const OtherName& row) {
        return row.fact == fact && known(row.source_fact) != model_.sources.end();
      });
      if (other != kOtherNames.end()) found = known(other->source_fact);
    }
    return spelled(found == model_.sources.end() ? options_.default_source : found->source);
  }

  Node& group(const std::string& source) {
    for (Node& group : groups_.items()) {
      if (group.find("source")->text() == source) return group;
    }
    Node& group = groups_.add(Node::mapping());
    group.set("source", source);
    return group;
  }

  const domain::Model& model_;
  const EntryOptions& options_;
  Node groups_ = Node::sequence();
};

// Facts under the source that they share.
void add_further(Node& further, const std::string& fact, const std::string& source) {
  for (Node& group : further.items()) {
    if (group.find("source")->text() != source) continue;
    Node& facts = group.entries().back().value;
    const bool is_there =
        std::ranges::any_of(facts.items(), [&](const Node& other) { return other.text() == fact; });
    if (!is_there) facts.add(fact);
    return;
  }
  Node& group = further.add(Node::mapping());
  group.set("source", source);
  group.set("facts", Node::sequence()).in_flow().add(fact);
}

}  // namespace

Node model_entry(const domain::Model& model, const EntryOptions& options) {
  Node entry = Node::mapping();
  entry.set("id", model.id);
  if (!model.aliases.empty()) {
    Node& aliases = entry.set("aliases", Node::sequence());
    for (const std::string& alias : model.aliases) aliases.add(alias);
  }
  entry.set("family", model.family);
  entry.set("architecture", model.architecture);
  Grouping grouping(model, options);
  const Node facts = all_facts(model);
  for (const Node::Entry& fact : facts.entries()) grouping.add(fact.name, fact.value);
  if (std::ranges::find(model.sources, "parameters", &domain::FactSource::fact) !=
      model.sources.end())
    grouping.add("parameters", model.parameters.total);
  Node further = Node::sequence();
  for (const domain::FactSource& row : model.sources) {
    const bool is_said =
        facts.find(row.fact) != nullptr || row.fact == "parameters" || row.fact == kTotal ||
        std::ranges::find(kOtherNames, row.fact, &OtherName::source_fact) != kOtherNames.end();
    if (!is_said) add_further(further, row.fact, grouping.spelled(row.source));
  }
  entry.set("facts", grouping.take());
  if (!further.items().empty()) entry.set("sources", std::move(further));
  if (!model.notes.empty()) {
    Node& notes = entry.set("notes", Node::sequence());
    for (const std::string& note : model.notes) notes.add(note);
  }
  return entry;
}

std::string model_entry_text(const domain::Model& model, const EntryOptions& options) {
  return document::write_yaml(model_entry(model, options));
}

}  // namespace gpushape::catalog
