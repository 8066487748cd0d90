#include "catalog/model_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/limits.hpp"
#include "document/reader.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

// The groups of `facts`, read as one mapping: a fact stands in one group and takes its source.
class Facts {
 public:
  Facts(Reader& entry, std::vector<domain::FactSource>& sources)
      : entry_(entry), sources_(sources) {
    for (Reader& reader : entry.mappings("facts")) {
      const std::string source = reader.required_text("source");
      groups_.push_back({std::move(reader), source});
    }
    if (groups_.empty())
      entry.complain(std::string("model has no facts"), "add `facts:` with its sizes");
  }

  /// The group that holds the fact, marked as known in all; null where none does.
  Reader* holder(std::string_view fact) {
    Group* found = nullptr;
    for (Group& group : groups_) {
      if (!group.reader.has(fact)) continue;
      if (found != nullptr) {
        group.reader.complain(fact, fmt::format("fact '{}' stands in two groups", fact));
        continue;
      }
      found = &group;
    }
    if (found == nullptr) return nullptr;
    sources_.push_back({std::string(fact), found->source});
    return &found->reader;
  }

  /// The least legal value after a complaint, so that arithmetic on it stays defined.
  std::int64_t integer(std::string_view fact, document::IntegerBounds bounds) {
    Reader* reader = required(fact);
    return reader == nullptr ? bounds.least : reader->integer(fact, bounds).value_or(bounds.least);
  }
  bool boolean(std::string_view fact) {
    Reader* reader = required(fact);
    return reader != nullptr && reader->required_boolean(fact);
  }
  bool boolean_or(std::string_view fact, bool otherwise) {
    Reader* reader = holder(fact);
    return reader == nullptr ? otherwise : reader->boolean(fact).value_or(otherwise);
  }
  std::optional<std::int64_t> optional_integer(std::string_view fact,
                                               document::IntegerBounds bounds) {
    Reader* reader = holder(fact);
    return reader == nullptr ? std::nullopt : reader->integer(fact, bounds);
  }
  template <class E>
  std::optional<E> choice(std::string_view fact) {
    Reader* reader = holder(fact);
    return reader == nullptr ? std::nullopt : reader->choice<E>(fact);
  }
  Reader* required(std::string_view fact) {
    Reader* reader = holder(fact);
    if (reader == nullptr && !groups_.empty())
      entry_.complain(fmt::format("model has no fact '{}'", fact),
                      "add it to the group of `facts:` that names its source");
    return reader;
  }

  void finish() {
    for (Group& group : groups_) group.reader.finish();
  }

 private:
  struct Group {
    Reader reader;
    std::string source;
  };

  Reader& entry_;
  std::vector<domain::FactSource>& sources_;
  std::deque<Group> groups_;
};

domain::Layer read_layer(Facts& facts) {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = facts.integer("attentionHeads", kHeads);
  attention.kv_heads = facts.integer("kvHeads", kHeads);
  attention.head_dim = facts.integer("headDim", kHeadDim);
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = facts.boolean("qkvBias");
  attention.output_bias = facts.boolean_or("outputBias", false);
  if (facts.boolean_or("queryKeyNorm", false)) attention.head_norm = domain::HeadNorm::Shared;
  layer.feed_forward.width = facts.integer("feedForwardWidth", kWidth);
  layer.feed_forward.bias = facts.boolean_or("feedForwardBias", false);
  return layer;
}

// Full layers first, then those with a window, as transformers cuts them (max_window_layers).
std::vector<domain::LayerRun> read_layers(Facts& facts) {
  const std::int64_t count = facts.integer("layers", kLayers);
  const domain::Layer layer = read_layer(facts);
  std::int64_t full = count;
  domain::Layer sliding = layer;
  if (Reader* group = facts.holder("slidingWindow")) {
    if (std::optional<Reader> window = group->mapping("slidingWindow")) {
      sliding.attention.kind = domain::LayerKind::Sliding;
      sliding.attention.window_tokens = window->required_integer("tokens", kContextTokens);
      full = window->integer("firstLayer", {.least = 0, .most = count - 1}).value_or(0);
      window->finish();
    }
  }
  std::vector<domain::LayerRun> runs;
  if (full > 0) runs.push_back({layer, full});
  if (full < count) runs.push_back({sliding, count - full});
  return runs;
}

void read_rope(Facts& facts, domain::Model& model, std::int64_t head_dim) {
  domain::Rope& rope = model.rope;
  rope.rotary_dim = head_dim;
  rope.positions = model.max_context_tokens;
  Reader* group = facts.required("rope");
  if (group == nullptr) return;
  std::optional<Reader> reader = group->mapping("rope");
  if (!reader) return;
  rope.theta = reader->number("theta", kRopeTheta).value_or(0);
  rope.rotary_dim =
      reader->integer("rotaryDim", {.least = 0, .most = kHeadDim.most}).value_or(head_dim);
  rope.scaling = reader->text("scaling").value_or("");
  rope.factor = reader->number("factor", kRopeFactor).value_or(1);
  rope.original_max_positions =
      reader->integer("originalContextTokens", kContextTokens).value_or(0);
  reader->finish();
}

constexpr std::array kPlain = {domain::Quantization::Fp32, domain::Quantization::Bf16,
                               domain::Quantization::Fp16};

void read_weights(Facts& facts, domain::WeightFormat& weights) {
  if (Reader* group = facts.required("dtype")) {
    const auto dtype = group->choice<domain::Quantization>("dtype");
    if (dtype && std::ranges::find(kPlain, *dtype) == kPlain.end()) {
      group->complain("dtype",
                      fmt::format("dtype '{}' is not one of fp32, bf16, fp16", name_of(*dtype)),
                      "a quantized checkpoint names its scheme under `quantization:`");
    }
    weights.other = dtype.value_or(domain::Quantization::Bf16);
  }
  weights.linear = weights.other;
  Reader* group = facts.holder("quantization");
  if (group == nullptr) return;
  std::optional<Reader> reader = group->mapping("quantization");
  if (!reader) return;
  reader->required_text("scheme");
  weights.linear = reader->choice<domain::Quantization>("scheme").value_or(weights.other);
  weights.kept = reader->texts("kept");
  weights.group = static_cast<int>(reader->integer("group", kGroup).value_or(0));
  weights.zero_points = reader->boolean("zeroPoints").value_or(false);
  weights.head_quantized = reader->boolean("headQuantized").value_or(false);
  weights.static_activation_scales = reader->boolean("staticActivationScales").value_or(false);
  reader->finish();
}

constexpr document::IntegerBounds kCount{.least = 1, .most = kMostParameters};

void read_parameters(Facts& facts, domain::Model& model, bool sizes_are_known) {
  Reader* group = facts.holder("parameters");
  const std::optional<std::int64_t> published =
      group == nullptr ? std::nullopt : group->integer("parameters", kCount);
  model.parameters.stored = facts.optional_integer("storedParameters", kCount);
  if (!sizes_are_known) return;
  model.parameters.total = domain::count_parameters(model);
  model.parameters.active = model.parameters.total;
  if (published && *published != model.parameters.total) {
    group->complain(
        "parameters",
        fmt::format("{} parameters are published, but the sizes give {}", *published,
                    model.parameters.total),
        "correct the sizes; what a checkpoint holds beside them goes under storedParameters");
  }
}

}  // namespace

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
  Facts facts(reader, model.sources);
  model.role = facts.choice<domain::Role>("role").value_or(domain::Role::Llm);
  model.hidden_size = facts.integer("hiddenSize", kHiddenSize);
  model.vocabulary = facts.integer("vocabulary", kVocabulary);
  model.max_context_tokens = facts.integer("contextTokens", kContextTokens);
  model.tied_embeddings = facts.boolean("tiedEmbeddings");
  model.has_head = facts.boolean_or("head", true);
  model.layers = read_layers(facts);
  read_rope(facts, model, model.layers.front().layer.attention.head_dim);
  read_weights(facts, model.weights);
  model.checkpoint_kv_cache = facts.choice<domain::KvCacheType>("kvCacheType");
  if (diagnostics.empty()) {
    for (Diagnostic& found : contradictions(model, "attentionHeads", "kvHeads"))
      reader.complain(std::move(found.message), std::move(found.help));
  }
  read_parameters(facts, model, diagnostics.empty());
  facts.finish();
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return model;
}

}  // namespace gpushape::catalog
