#include "catalog/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/families.hpp"
#include "catalog/fields.hpp"
#include "catalog/foreign_fields.hpp"
#include "catalog/limits.hpp"
#include "catalog/rope_scaling.hpp"
#include "catalog/stored_precision.hpp"
#include "document/reader.hpp"
#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

// A model under construction: what was read, and from where.
class ConfigReader {
 public:
  ConfigReader(Reader& reader, domain::Model& model)
      : reader_(reader), fields_(reader), model_(model) {}

  bool read_family();
  void read_sizes();
  void read_context();
  void read_dtype();
  void read_layers();
  /// After read_family said yes.
  [[nodiscard]] const Family& family() const { return *family_; }

 private:
  void from_config(std::string fact) { model_.sources.push_back({std::move(fact), "config.json"}); }
  void from_family(std::string fact) {
    model_.sources.push_back({std::move(fact), std::string(family_->source)});
  }
  bool switch_of(std::string_view field, bool otherwise, const std::string& fact);
  domain::Layer read_layer();
  std::optional<std::int64_t> window();
  std::vector<bool> sliding_layers(std::int64_t count, std::optional<std::int64_t> window);

  Reader& reader_;
  Fields fields_;
  domain::Model& model_;
  const Family* family_ = nullptr;
};

const Family* family_of_architecture(std::string_view architecture) {
  for (const Family& family : families()) {
    for (const Architecture& known : family.architectures) {
      if (known.name == architecture) return &family;
    }
  }
  return nullptr;
}

std::string known_families() {
  std::string list;
  for (const Family& family : families())
    list += fmt::format("{}{}", list.empty() ? "" : ", ", family.model_type);
  return list;
}

bool ConfigReader::read_family() {
  const std::string model_type = fields_.text("model_type").value_or("");
  const std::vector<std::string> architectures = fields_.texts("architectures");
  if (!reader_.diagnostics().empty()) return false;
  const std::string help = "the families known are " + known_families();
  if (model_type.empty() && architectures.empty()) {
    reader_.complain(std::string("config.json names neither a model_type nor architectures"), help);
    return false;
  }
  if (model_type.empty()) {
    family_ = family_of_architecture(architectures.front());
  } else {
    const auto found = std::ranges::find(families(), model_type, &Family::model_type);
    family_ = found == families().end() ? nullptr : &*found;
    if (family_ == nullptr) {
      std::vector<std::string> names;
      for (const Family& family : families()) names.emplace_back(family.model_type);
      fields_.complain("model_type", fmt::format("model_type '{}' is not understood", model_type),
                       help);
      return false;
    }
  }
  const std::string architecture = architectures.empty()
                                       ? std::string(family_->architectures.front().name)
                                       : architectures.front();
  const Architecture* known = nullptr;
  if (family_ != nullptr) {
    const auto found = std::ranges::find(family_->architectures, architecture, &Architecture::name);
    if (found != family_->architectures.end()) known = &*found;
  }
  if (known == nullptr) {
    const Family* other = family_of_architecture(architecture);
    fields_.complain(
        "architectures",
        other == nullptr
            ? fmt::format("architecture '{}' is not understood", architecture)
            : fmt::format("architecture '{}' is of the {} family, but model_type is '{}'",
                          architecture, other->model_type, model_type),
        help);
    return false;
  }
  model_.family = family_->model_type;
  model_.architecture = architecture;
  model_.has_head = known->has_head;
  if (!known->has_head) model_.role = domain::Role::Embed;
  from_config("family");
  architectures.empty() ? from_family("architecture") : from_config("architecture");
  return true;
}

void ConfigReader::read_sizes() {
  model_.hidden_size = fields_.required_integer("hidden_size", kHiddenSize);
  from_config("hiddenSize");
  model_.vocabulary = fields_.required_integer("vocab_size", kVocabulary);
  from_config("vocabulary");
  model_.tied_embeddings =
      switch_of("tie_word_embeddings", family_->ties_embeddings, "tiedEmbeddings");
}

bool ConfigReader::switch_of(std::string_view field, bool otherwise, const std::string& fact) {
  const bool given = fields_.given(field);
  given ? from_config(fact) : from_family(fact);
  return fields_.boolean(field).value_or(otherwise);
}

void ConfigReader::read_context() {
  const std::int64_t trained = fields_.required_integer("max_position_embeddings", kContextTokens);
  from_config("contextTokens");
  model_.max_context_tokens = trained;
  model_.rope.positions = trained;
  if (const auto theta = fields_.number("rope_theta", kRopeTheta)) model_.rope.theta = *theta;
  const std::string_view scaling = fields_.first_given({"rope_parameters", "rope_scaling"});
  if (!scaling.empty()) {
    if (std::optional<Reader> reader = fields_.mapping(scaling))
      read_rope_scaling(*reader, trained, model_);
  }
  if (model_.rope.theta > 0) {
    from_config("rope");
  } else {
    model_.rope.theta = 10000;  // the paper's base (Su 2021), and every family's default
    from_family("rope");
  }
}

struct Dtype {
  std::string_view name;
  domain::Quantization value;
};
constexpr auto kDtypes = std::to_array<Dtype>({
    {"bfloat16", domain::Quantization::Bf16},
    {"float16", domain::Quantization::Fp16},
    {"float32", domain::Quantization::Fp32},
});

void ConfigReader::read_dtype() {
  const std::string_view field = fields_.first_given({"dtype", "torch_dtype"});
  domain::Quantization dtype = domain::Quantization::Bf16;
  if (field.empty()) {
    model_.notes.emplace_back(
        "config.json names no dtype: 16 bits are assumed, as engines load such a checkpoint");
    model_.sources.push_back({"dtype", "assumed: config.json names none"});
  } else {
    std::string word = fields_.text(field).value_or("bfloat16");
    if (word.starts_with("torch.")) word.erase(0, 6);
    const auto known = std::ranges::find(kDtypes, word, &Dtype::name);
    if (known == kDtypes.end()) {
      fields_.complain(field, fmt::format("{} '{}' is not understood", field, word),
                       "known are bfloat16, float16, float32");
    } else {
      dtype = known->value;
    }
    from_config("dtype");
  }
  model_.weights.linear = dtype;
  model_.weights.other = dtype;
}

domain::Layer ConfigReader::read_layer() {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = fields_.required_integer("num_attention_heads", kHeads);
  from_config("attentionHeads");
  const bool names_kv_heads = fields_.given("num_key_value_heads");
  attention.kv_heads = fields_.integer("num_key_value_heads", kHeads).value_or(attention.heads);
  if (names_kv_heads) {
    from_config("kvHeads");
  } else {
    model_.sources.push_back({"kvHeads", "default: as many as attention heads"});
    model_.notes.push_back(fmt::format(
        "the config names no num_key_value_heads: {}, as many as attention heads, are assumed",
        attention.kv_heads));
  }
  if (fields_.given("head_dim")) {
    attention.head_dim = fields_.integer("head_dim", kHeadDim).value_or(1);
    from_config("headDim");
  } else if (family_->head_dim > 0) {
    attention.head_dim = family_->head_dim;
    from_family("headDim");
  } else {
    attention.head_dim = std::max<std::int64_t>(1, model_.hidden_size / attention.heads);
    model_.sources.push_back({"headDim", "default: hidden size / attention heads"});
    // A hidden size that could not be read is complained of already, and stands at 1.
    if (model_.hidden_size > 1 && model_.hidden_size % attention.heads != 0) {
      fields_.complain("num_attention_heads",
                       fmt::format("hidden_size {} is not a multiple of num_attention_heads {}",
                                   model_.hidden_size, attention.heads),
                       "such a config must name its head_dim");
    }
  }
  attention.value_head_dim = attention.head_dim;
  attention.head_norm = family_->query_key_norm ? domain::HeadNorm::Shared : domain::HeadNorm::None;
  attention.qkv_bias = family_->qkv_bias;
  from_family("queryKeyNorm");
  if (family_->reads_attention_bias) {
    attention.qkv_bias = switch_of("attention_bias", false, "qkvBias");
    attention.output_bias = attention.qkv_bias;
  } else {
    from_family("qkvBias");
  }
  layer.feed_forward.width = fields_.required_integer("intermediate_size", kWidth);
  from_config("feedForwardWidth");
  if (family_->reads_mlp_bias)
    layer.feed_forward.bias = switch_of("mlp_bias", false, "feedForwardBias");
  return layer;
}

// The window of sliding layers; nothing where the family or the config does without.
std::optional<std::int64_t> ConfigReader::window() {
  const bool is_absent = reader_.node("sliding_window") == nullptr;
  if (is_absent && family_->sliding == SlidingRule::Always) {
    from_family("slidingWindow");
    return family_->sliding_window;
  }
  return fields_.integer("sliding_window", kContextTokens);
}

std::vector<bool> ConfigReader::sliding_layers(std::int64_t count,
                                               std::optional<std::int64_t> window) {
  std::vector<bool> slides(static_cast<std::size_t>(count), false);
  const bool is_on = fields_.boolean("use_sliding_window").value_or(false);
  if (fields_.given("layer_types")) {
    const std::vector<std::string> types = fields_.texts("layer_types");
    if (types.size() != slides.size()) {
      fields_.complain("layer_types", fmt::format("layer_types lists {} layers of {}", types.size(),
                                                  slides.size()));
      return slides;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i] != "full_attention" && types[i] != "sliding_attention") {
        fields_.complain("layer_types", fmt::format("layer type '{}' is not understood", types[i]),
                         "known are full_attention and sliding_attention");
        return slides;
      }
      slides[i] = types[i] == "sliding_attention";
    }
    const bool any = std::ranges::find(slides, true) != slides.end();
    if (any && (!window || (family_->sliding == SlidingRule::OnSwitch && !is_on)))
      fields_.complain("layer_types",
                       "layer_types has sliding layers, but no sliding window is on");
    return slides;
  }
  switch (family_->sliding) {
    case SlidingRule::Never:
      if (window)
        fields_.complain("sliding_window", "a llama model with a sliding_window is not understood",
                         "a config that slides must list its layer_types");
      break;
    case SlidingRule::Always:
      if (window) slides.assign(slides.size(), true);
      break;
    case SlidingRule::OnSwitch:
      if (!is_on) break;
      if (!window) {
        fields_.complain("use_sliding_window",
                         "use_sliding_window is true, but there is no sliding_window");
        break;
      }
      // transformers: the first max_window_layers layers see everything, the others slide.
      const std::int64_t full =
          fields_.required_integer("max_window_layers", {.least = 0, .most = kLayers.most});
      for (std::int64_t i = full; i < count; ++i) slides[static_cast<std::size_t>(i)] = true;
      break;
  }
  return slides;
}

void ConfigReader::read_layers() {
  const std::int64_t count = fields_.required_integer("num_hidden_layers", kLayers);
  from_config("layers");
  const domain::Layer full = read_layer();
  const std::optional<std::int64_t> window_tokens = window();
  domain::Layer sliding = full;
  sliding.attention.kind = domain::LayerKind::Sliding;
  sliding.attention.window_tokens = window_tokens.value_or(0);
  for (const bool slides : sliding_layers(count, window_tokens)) {
    const domain::Layer& layer = slides ? sliding : full;
    if (model_.layers.empty() || model_.layers.back().layer != layer)
      model_.layers.push_back({layer, 0});
    ++model_.layers.back().count;
  }
  // partial_rotary_factor: the share of a head that is rotated.
  const double share = fields_.number("partial_rotary_factor", {.least = 0, .most = 1}).value_or(1);
  model_.rope.rotary_dim =
      static_cast<std::int64_t>(static_cast<double>(full.attention.head_dim) * share);
}

}  // namespace

Result<domain::Model> read_config(const document::Document& config, const std::string& id,
                                  const document::Document* side_file) {
  Diagnostics diagnostics;
  Reader reader(config.root, *config.source, diagnostics, "config.json");
  domain::Model model;
  model.id = id;
  model.origin = "config.json";
  ConfigReader parts(reader, model);
  if (!diagnostics.empty() || !parts.read_family()) return failure(std::move(diagnostics));
  refuse_foreign_fields(Fields(reader), parts.family());
  parts.read_sizes();
  parts.read_context();
  parts.read_dtype();
  parts.read_layers();
  read_stored_precision(reader, nullptr, side_file, model);
  if (diagnostics.empty()) {
    for (Diagnostic& found : contradictions(model, "num_attention_heads", "num_key_value_heads"))
      reader.complain(std::move(found.message), std::move(found.help));
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  model.parameters.total = domain::count_parameters(model);
  model.parameters.active = model.parameters.total;
  model.sources.push_back({"parameters.total", "computed from the architecture"});
  domain::resolve_modules(model);
  return model;
}

}  // namespace gpushape::catalog
