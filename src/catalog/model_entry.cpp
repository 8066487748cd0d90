#include "catalog/model_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/entry_facts.hpp"
#include "catalog/entry_layer.hpp"
#include "catalog/entry_parts.hpp"
#include "catalog/entry_stored.hpp"
#include "catalog/entry_weights.hpp"
#include "catalog/limits.hpp"
#include "domain/modules.hpp"
#include "domain/parameter_counts.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;
using domain::LayerKind;

bool attends(const domain::Layer& layer) {
  return layer.attention.kind != LayerKind::None && layer.attention.kind != LayerKind::Recurrent;
}

// The common layer, the types that differ from it, and their order.
class LayerReader {
 public:
  explicit LayerReader(EntryFacts& facts) : facts_(facts) {}

  void read_types() {
    has_types_ = facts_.has("layerTypes");
    read_layer_fields(facts_.holders(), common_);
    // The older word for one norm vector that all heads share.
    if (facts_.boolean("queryKeyNorm").value_or(false))
      common_.attention.head_norm = domain::HeadNorm::Shared;
    if (!has_types_) {
      require_sizes();
      types_.push_back({"layer", common_});
      return;
    }
    Reader* group = facts_.holder("layerTypes");
    std::optional<Reader> types = group->mapping("layerTypes");
    if (!types) return;
    for (const Node::Entry& entry : types->self().entries()) {
      std::optional<Reader> reader = types->mapping(entry.name);
      if (!reader) continue;
      LayerType& type = types_.emplace_back(LayerType{entry.name, common_});
      read_layer_fields(holder_of(*reader), type.layer);
      reader->finish();
      if (attends(type.layer) &&
          (type.layer.attention.heads == 0 || type.layer.attention.head_dim == 0)) {
        reader->complain(
            fmt::format("layer type '{}' attends, but has no attentionHeads or headDim",
                        entry.name),
            "add them here, or to the facts that all layers have in common");
      }
    }
    types->finish();
  }

  /// A count, where all layers are alike, or a pattern of type names.
  std::vector<domain::LayerRun> read_runs(Reader& reader, std::string_view field) {
    if (!has_types_) {
      const auto count = reader.integer(field, kLayers);
      return {{common_, count.value_or(1)}};
    }
    const std::optional<std::string> text = reader.text(field);
    if (!text) return {};
    const auto runs = parse_layer_pattern(*text, types_);
    std::vector<domain::LayerRun> layers;
    if (!runs) {
      reader.complain(field, runs.error().front().message, runs.error().front().help);
      return {};
    }
    for (const TypeRun& run : *runs) layers.push_back({types_[run.type].layer, run.count});
    return layers;
  }

  std::vector<domain::LayerRun> read_layers() {
    Reader* group = facts_.required("layers");
    if (group == nullptr) return {};
    std::vector<domain::LayerRun> runs = read_runs(*group, "layers");
    return read_window(std::move(runs));
  }

 private:
  void require_sizes() {
    if (attends(common_)) facts_.require({"attentionHeads", "kvHeads", "headDim", "qkvBias"});
    if (!common_.feed_forward.experts && !common_.recurrent) facts_.require({"feedForwardWidth"});
  }

  // Full layers first, then those with a window, as transformers cuts them (max_window_layers).
  std::vector<domain::LayerRun> read_window(std::vector<domain::LayerRun> runs) {
    Reader* group = facts_.holder("slidingWindow");
    if (group == nullptr || runs.size() != 1) return runs;
    std::optional<Reader> window = group->mapping("slidingWindow");
    if (!window) return runs;
    const std::int64_t count = runs.front().count;
    domain::Layer sliding = runs.front().layer;
    sliding.attention.kind = LayerKind::Sliding;
    sliding.attention.window_tokens = window->required_integer("tokens", kContextTokens);
    const std::int64_t full =
        window->integer("firstLayer", {.least = 0, .most = count - 1}).value_or(0);
    window->finish();
    runs.front().count = full;
    if (full == 0) runs.clear();
    runs.push_back({std::move(sliding), count - full});
    return runs;
  }

  EntryFacts& facts_;
  domain::Layer common_;
  bool has_types_ = false;
  std::vector<LayerType> types_;
};

void read_multi_token_prediction(EntryFacts& facts, LayerReader& layers, domain::Model& model) {
  Reader* group = facts.holder("multiTokenPrediction");
  if (group == nullptr) return;
  std::optional<Reader> reader = group->mapping("multiTokenPrediction");
  if (!reader) return;
  domain::MultiTokenPrediction& prediction = model.multi_token_prediction.emplace();
  if (reader->has("layers")) prediction.layers = layers.read_runs(*reader, "layers");
  prediction.extra = read_tensors(*reader, "tensors");
  prediction.holds_embedding = reader->boolean("holdsEmbedding").value_or(false);
  reader->finish();
}

void read_rope(EntryFacts& facts, domain::Model& model) {
  const domain::Rope plain = plain_rope(model);
  model.rope = plain;
  if (Reader* group = facts.required("rope")) {
    const Node* node = group->node("rope");
    if (node->is(Node::Kind::String) && node->text() == kNoPart) {
      model.rope = {};
    } else if (std::optional<Reader> reader = group->mapping("rope")) {
      FieldReader<domain::Rope> fields(holder_of(*reader), model.rope);
      visit_rope(fields);
      reader->finish();
    }
  }
  if (Reader* group = facts.holder("furtherRopes")) {
    for (Reader& reader : group->mappings("furtherRopes")) {
      domain::Rope& rope = model.further_ropes.emplace_back(plain);
      FieldReader<domain::Rope> fields(holder_of(reader), rope);
      visit_rope(fields);
      reader.finish();
    }
  }
}

void read_towers(EntryFacts& facts, domain::Model& model) {
  Reader* group = facts.holder("towers");
  if (group == nullptr) return;
  for (Reader& reader : group->mappings("towers")) {
    domain::Tower& tower = model.towers.emplace_back();
    reader.required_text("kind");
    FieldReader<domain::Tower> fields(holder_of(reader), tower);
    visit_tower(fields);
    reader.finish();
  }
}

constexpr document::IntegerBounds kCount{.least = 1, .most = kMostParameters};

/// The published total counts what the checkpoint holds, but for a tower beside it.
std::optional<std::int64_t> stored_as_published(const domain::Model& model, std::int64_t total) {
  const auto source = std::ranges::find(model.sources, "parameters", &domain::FactSource::fact);
  const bool is_published = source != model.sources.end() && is_published_count(source->source) &&
                            std::ranges::none_of(model.towers, &domain::Tower::is_beside_total);
  return is_published ? std::optional(total) : std::nullopt;
}

void read_parameters(EntryFacts& facts, domain::Model& model, bool sizes_are_known) {
  Reader* group = facts.holder("parameters");
  const std::optional<std::int64_t> published =
      group == nullptr ? std::nullopt : group->integer("parameters", kCount);
  model.parameters.stored = facts.integer("storedParameters", kCount);
  if (published && !model.parameters.stored)
    model.parameters.stored = stored_as_published(model, *published);
  model.stored = read_stored_parts(facts);
  if (!sizes_are_known) return;
  domain::resolve_modules(model);
  domain::count_all_parameters(model);
  if (published && *published != model.parameters.total) {
    group->complain(
        "parameters",
        fmt::format("{} parameters are published, but the sizes give {}", *published,
                    model.parameters.total),
        "correct the sizes; what a checkpoint holds beside them goes under storedParameters");
  }
}

void read_further_sources(Reader& reader, std::vector<domain::FactSource>& sources) {
  for (Reader& group : reader.mappings("sources")) {
    const std::string source = group.required_text("source");
    for (const std::string& fact : group.texts("facts")) sources.push_back({fact, source});
    group.finish();
  }
}

}  // namespace

bool is_published_count(std::string_view source) {
  constexpr auto kOurs = std::to_array<std::string_view>({"computed", "shapes of", "as "});
  return std::ranges::none_of(kOurs,
                              [&](std::string_view word) { return source.starts_with(word); });
}

Result<domain::Model> read_model(const document::Document& document, std::string origin) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "model");
  domain::Model model;
  model.origin = std::move(origin);
  model.id = reader.required_text("id");
  model.aliases = reader.texts("aliases");
  model.family = reader.required_text("family");
  model.architecture = reader.required_text("architecture");
  model.notes = reader.texts("notes");
  EntryFacts facts(reader, model.sources);
  facts.require({"hiddenSize", "tiedEmbeddings"});
  FieldReader<domain::Model> fields(facts.holders(), model);
  visit_model(fields);
  // A tower on its own (a vision encoder) has neither.
  if (model.has_head) facts.require({"vocabulary"});
  LayerReader layers(facts);
  layers.read_types();
  model.layers = layers.read_layers();
  // A fixed state per sequence sets no limit.
  if (std::ranges::any_of(model.layers, [](const auto& run) { return attends(run.layer); }))
    facts.require({"contextTokens"});
  read_multi_token_prediction(facts, layers, model);
  read_rope(facts, model);
  read_towers(facts, model);
  read_weights(facts, model.weights);
  model.checkpoint_kv_cache = facts.choice<domain::KvCacheType>("kvCacheType");
  if (diagnostics.empty()) {
    for (Diagnostic& found : contradictions(model, "attentionHeads", "kvHeads"))
      reader.complain(std::move(found.message), std::move(found.help));
  }
  read_parameters(facts, model, diagnostics.empty());
  read_further_sources(reader, model.sources);
  facts.finish();
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return model;
}

}  // namespace gpushape::catalog
