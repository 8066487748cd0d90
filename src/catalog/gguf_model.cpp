// A GGUF file as a Model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/edit_distance.hpp"
#include "catalog/gguf.hpp"
#include "catalog/gguf_architectures.hpp"
#include "catalog/gguf_layer.hpp"
#include "catalog/limits.hpp"
#include "catalog/stored_weights.hpp"
#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using domain::Quantization;

// Which layers look at a window only, where the file does not say: llama.cpp, llama-model.cpp
// (load_hparams, set_swa_pattern). Of `period` layers the last is full; 1 for all sliding.
struct Pattern {
  std::string_view architecture;
  std::int64_t period = 0;
  bool is_chunked = false;
};
constexpr auto kPatterns = std::to_array<Pattern>({
    {"gemma2", 2},
    {"gemma3", 6},
    {"gemma3n", 5},
    {"gpt-oss", 2},
    {"cohere2", 4},
    {"exaone4", 4},
    {"olmo2", 4},
    {"smallthinker", 4},
    {"plamo3", 8},
    {"llama4", 4, true},
});

// llama.cpp keeps the frequencies of a stretched rope beside the weights: no parameters.
bool is_rotary_buffer(std::string_view name) {
  return name.starts_with("rope_freqs") || name.starts_with("rope_factors_");
}

class ModelBuilder {
 public:
  ModelBuilder(const GgufFile& gguf, const std::string& id) : gguf_(gguf) {
    model_.id = id;
    model_.origin = "GGUF header";
  }

  Result<domain::Model> build() {
    if (!read_architecture()) return std::unexpected(faults_);
    read_sizes();
    if (faults_.empty()) read_layers();
    if (faults_.empty()) read_outer();
    if (faults_.empty()) check();
    if (!faults_.empty()) return std::unexpected(faults_);
    read_weights();
    return std::move(model_);
  }

 private:
  void refuse(std::string message, std::string help = {}) {
    Diagnostic diagnostic = complaint(std::move(message), std::move(help));
    diagnostic.span.file = model_.id;
    faults_.push_back(std::move(diagnostic));
  }

  [[nodiscard]] std::string key(std::string_view name) const {
    return fmt::format("{}.{}", architecture_, name);
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const GgufValue* value = gguf_.find(name);
    const auto* found = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return found == nullptr ? std::string() : *found;
  }

  /// A whole number of the architecture; of a list, the one for `layer`.
  std::optional<std::int64_t> number(std::string_view name, document::IntegerBounds bounds,
                                     std::int64_t layer = 0) {
    const GgufValue* value = gguf_.find(key(name));
    if (value == nullptr) return std::nullopt;
    std::optional<std::int64_t> found;
    if (const auto* whole = std::get_if<std::int64_t>(value)) found = *whole;
    if (const auto* list = std::get_if<GgufArray>(value)) {
      if (static_cast<std::size_t>(layer) < list->numbers.size())
        found = list->numbers[static_cast<std::size_t>(layer)];
    }
    if (!found || *found < bounds.least || *found > bounds.most) {
      refuse(fmt::format("{} is not a number from {} to {}", key(name), bounds.least, bounds.most));
      return std::nullopt;
    }
    return found;
  }
  std::int64_t required(std::string_view name, document::IntegerBounds bounds) {
    if (gguf_.find(key(name)) == nullptr)
      refuse(fmt::format("the file has no key '{}'", key(name)));
    return number(name, bounds).value_or(1);
  }
  std::int64_t optional(std::string_view name, document::IntegerBounds bounds,
                        std::int64_t otherwise = 0, std::int64_t layer = 0) {
    bounds.least = std::min<std::int64_t>(bounds.least, 0);
    return number(name, bounds, layer).value_or(otherwise);
  }
  [[nodiscard]] double real(std::string_view name, double otherwise) const {
    const GgufValue* value = gguf_.find(key(name));
    if (value == nullptr) return otherwise;
    const auto* found = std::get_if<double>(value);
    return found == nullptr ? otherwise : *found;
  }

  bool read_architecture() {
    architecture_ = text("general.architecture");
    if (architecture_.empty()) {
      refuse("the file has no general.architecture", "it may be a part of a model, or no model");
      return false;
    }
    if (architecture_ == "clip" || text("general.type") == "mmproj") {
      refuse("this file holds a vision or audio tower alone",
             "give the file of the language model");
      return false;
    }
    if (text("general.type") == "adapter" || text("general.type") == "imatrix") {
      refuse(fmt::format("this file holds an {}, not a model", text("general.type")));
      return false;
    }
    const GgufArchitecture* known = gguf_architecture(architecture_);
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const GgufArchitecture& row : gguf_architectures()) names.emplace_back(row.name);
      refuse(
          fmt::format("architecture '{}' is not understood: which of its layers look at a window "
                      "or share a cache is not known",
                      architecture_.substr(0, 120)),
          suggestion(architecture_, names,
                     "give the config.json of the repository, or a file of an architecture of "
                     "llama.cpp"));
      return false;
    }
    model_.family = std::string(known->family.empty() ? known->name : known->family);
    model_.architecture = architecture_;
    model_.sources.push_back({"architecture", "general.architecture of the GGUF header"});
    return true;
  }

  void read_sizes() {
    layers_ = required("block_count", kLayers);
    model_.hidden_size = required("embedding_length", kHiddenSize);
    model_.max_context_tokens = required("context_length", kContextTokens);
    model_.rope.positions = model_.max_context_tokens;
    model_.rope.theta = real("rope.freq_base", 10'000);
    model_.rope.factor = std::max(1.0, real("rope.scaling.factor", 1));
    const GgufValue* scaling = gguf_.find(key("rope.scaling.type"));
    if (scaling != nullptr && std::get_if<std::string>(scaling) != nullptr &&
        *std::get_if<std::string>(scaling) != "none")
      model_.rope.scaling = *std::get_if<std::string>(scaling);
    model_.rope.original_max_positions =
        optional("rope.scaling.original_context_length", kContextTokens);
    model_.sources.push_back({"sizes", "key-values of the GGUF header"});
    predicting_ = optional("nextn_predict_layers", kLayers);
    if (predicting_ >= layers_) predicting_ = 0;
  }

  /// Whether layer `layer` of a model with a window slides.
  bool slides(std::int64_t layer, bool& is_chunked) {
    const GgufValue* given = gguf_.find(key("attention.sliding_window_pattern"));
    if (given != nullptr) {
      if (const auto* list = std::get_if<GgufArray>(given)) {
        return static_cast<std::size_t>(layer) < list->numbers.size() &&
               list->numbers[static_cast<std::size_t>(layer)] != 0;
      }
      const auto* period = std::get_if<std::int64_t>(given);
      if (period != nullptr && *period > 0) return (layer + 1) % *period != 0;
    }
    const auto known = std::ranges::find(kPatterns, architecture_, &Pattern::architecture);
    if (known == kPatterns.end()) return false;
    is_chunked = known->is_chunked;
    return (layer + 1) % known->period != 0;
  }

  GgufSizes sizes_of(std::int64_t layer) {
    GgufSizes sizes;
    sizes.hidden = model_.hidden_size;
    sizes.heads = optional("attention.head_count", kHeads, 0, layer);
    sizes.kv_heads = optional("attention.head_count_kv", kHeads, sizes.heads, layer);
    sizes.key_length = optional("attention.key_length", kHeadDim);
    sizes.value_length = optional("attention.value_length", kHeadDim);
    sizes.query_rank = optional("attention.q_lora_rank", kHiddenSize);
    sizes.kv_rank = optional("attention.kv_lora_rank", kHiddenSize);
    sizes.rope_dim = optional("rope.dimension_count", kHeadDim);
    sizes.active_experts = optional("expert_used_count", kHeads);
    sizes.index_heads = optional("attention.indexer.head_count", kHeads);
    sizes.index_head_dim = optional("attention.indexer.key_length", kHeadDim);
    sizes.index_tokens = optional("attention.indexer.top_k", kContextTokens);
    sizes.state_heads = optional("ssm.time_step_rank", kHiddenSize);
    sizes.state_groups = optional("ssm.group_count", kHeads);
    sizes.state_size = optional("ssm.state_size", kHiddenSize);
    const std::int64_t shared = optional("attention.shared_kv_layers", kLayers);
    sizes.shares_cache = layer >= layers_ - shared;
    std::int64_t window = optional("attention.sliding_window", kContextTokens);
    if (window == 0 && architecture_ == "llama4")
      window = optional("attention.chunk_size", kContextTokens, 8192);
    if (window > 0 && slides(layer, sizes.is_chunked)) sizes.window_tokens = window;
    return sizes;
  }

  // Layers are told by the tensors that they have; as many as block_count says, each once.
  void read_layers() {
    std::map<std::int64_t, GgufLayer> found;
    for (std::size_t i = 0; i < gguf_.listing.tensors.size(); ++i) {
      const ListedTensor& tensor = gguf_.listing.tensors[i];
      std::string_view name = tensor.name;
      if (!name.starts_with("blk.")) continue;
      name.remove_prefix(4);
      std::int64_t layer = -1;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
      if (error != std::errc() || end == name.data() + name.size() || *end != '.' || layer < 0 ||
          layer >= layers_) {
        refuse(fmt::format("the tensor '{}' is of none of the {} layers",
                           tensor.name.substr(0, 120), layers_));
        return;
      }
      name.remove_prefix(static_cast<std::size_t>(end - name.data()) + 1);
      found[layer].add(std::string(name), gguf_.dimensions[i], tensor.values());
    }
    for (std::int64_t layer = 0; layer < layers_ && faults_.empty(); ++layer) {
      if (!found.contains(layer)) {
        refuse(fmt::format("the file has no tensors of layer {}", layer));
        return;
      }
      // What predicts further tokens is stored behind the model's own layers.
      if (layer >= layers_ - predicting_) continue;
      const GgufSizes sizes = sizes_of(layer);
      if (!faults_.empty()) return;
      const Result<domain::Layer> built = found.at(layer).build(sizes);
      if (!built) {
        refuse(fmt::format("layer {} of a {} model: {}", layer, architecture_,
                           built.error().front().message),
               "this architecture is not understood from its GGUF file; give its config.json");
        return;
      }
      if (model_.layers.empty() || model_.layers.back().layer != *built)
        model_.layers.push_back({*built, 0});
      ++model_.layers.back().count;
    }
    if (predicting_ > 0) {
      model_.notes.push_back(
          fmt::format("the last {} layers of the file predict further tokens: not counted with the "
                      "model",
                      predicting_));
    }
  }

  [[nodiscard]] std::optional<std::size_t> place_of(std::string_view name) const {
    const auto found = std::ranges::find(gguf_.listing.tensors, name, &ListedTensor::name);
    if (found == gguf_.listing.tensors.end()) return std::nullopt;
    return static_cast<std::size_t>(found - gguf_.listing.tensors.begin());
  }

  void read_outer() {
    const std::optional<std::size_t> embedding = place_of("token_embd.weight");
    if (!embedding || gguf_.dimensions[*embedding][0] != model_.hidden_size) {
      refuse("the file has no token_embd.weight of the embedding's length");
      return;
    }
    model_.vocabulary = gguf_.dimensions[*embedding][1];
    const GgufValue* tokens = gguf_.find("tokenizer.ggml.tokens");
    const auto* list = tokens == nullptr ? nullptr : std::get_if<GgufArray>(tokens);
    if (list != nullptr && static_cast<std::int64_t>(list->length) != model_.vocabulary) {
      model_.notes.push_back(
          fmt::format("the tokenizer has {} tokens, the embedding {} rows: the rows count",
                      list->length, model_.vocabulary));
    }
    const bool is_embedder = gguf_.find(key("pooling_type")) != nullptr;
    model_.tied_embeddings = !place_of("output.weight") && !is_embedder;
    model_.has_head = !is_embedder || place_of("output.weight").has_value();
    if (is_embedder) model_.role = domain::Role::Embed;
    model_.has_final_norm = place_of("output_norm.weight").has_value();
    model_.final_norm_bias = place_of("output_norm.bias").has_value();
    const domain::Attention& attention = model_.layers.front().layer.attention;
    model_.rope.rotary_dim = optional("rope.dimension_count", kHeadDim, attention.head_dim);
    for (std::size_t i = 0; i < gguf_.listing.tensors.size(); ++i) add_extra(i);
  }

  void add_extra(std::size_t place) {
    constexpr auto kKnown = std::to_array<std::string_view>(
        {"token_embd.weight", "output.weight", "output_norm.weight", "output_norm.bias"});
    const ListedTensor& tensor = gguf_.listing.tensors[place];
    if (tensor.name.starts_with("blk.") || is_rotary_buffer(tensor.name) ||
        std::ranges::find(kKnown, std::string_view(tensor.name)) != kKnown.end())
      return;
    const std::array<std::int64_t, 4>& sizes = gguf_.dimensions[place];
    const bool is_vector = sizes[1] == 1 && sizes[2] == 1 && sizes[3] == 1;
    model_.extra.push_back(
        {.name = tensor.name,
         .rows = is_vector ? sizes[0] : tensor.values() / std::max<std::int64_t>(1, sizes[0]),
         .columns = is_vector ? 0 : sizes[0],
         .is_float32 = is_vector});
  }

  void check() {
    if (model_.vocabulary < kVocabulary.least || model_.vocabulary > kVocabulary.most)
      refuse(
          fmt::format("{} rows of the embedding are more than any model has", model_.vocabulary));
    if (model_.layers.empty()) refuse("the file holds no layers");
    if (!faults_.empty()) return;
    for (Diagnostic& found :
         contradictions(model_, "attention.head_count", "attention.head_count_kv"))
      refuse(std::move(found.message), std::move(found.help));
  }

  /// The type that most bytes of the layers have.
  [[nodiscard]] Quantization most_stored() const {
    std::map<Quantization, std::int64_t> bytes;
    for (const ListedTensor& tensor : gguf_.listing.tensors) {
      if (tensor.name.starts_with("blk.") && tensor.rank > 1)
        bytes[tensor.type->plain] += tensor.bytes;
    }
    const auto most =
        std::ranges::max_element(bytes, {}, [](const auto& row) { return row.second; });
    return most == bytes.end() ? Quantization::Fp16 : most->first;
  }

  /// What the file calls itself, where its layers hold tensors of that type.
  [[nodiscard]] std::optional<Quantization> named_type() {
    const GgufValue* value = gguf_.find("general.file_type");
    const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    const auto named = number == nullptr ? std::nullopt : gguf_file_type(*number);
    if (!named) return std::nullopt;
    const domain::WeightScheme& whole = domain::scheme(*named);
    const bool is_held =
        std::ranges::any_of(gguf_.listing.tensors, [&](const ListedTensor& tensor) {
          const domain::WeightScheme& own = domain::scheme(tensor.type->plain);
          return tensor.name.starts_with("blk.") && tensor.rank > 1 && own.group == whole.group &&
                 own.weight_bits == whole.weight_bits && own.scale_bits == whole.scale_bits;
        });
    if (is_held) return named;
    model_.notes.push_back(
        fmt::format("general.file_type says {}, but no tensor of the layers is "
                    "stored so: the tensors count",
                    name_of(*named)));
    return std::nullopt;
  }

  void read_weights() {
    model_.weights.other = Quantization::Fp16;
    model_.weights.linear = most_stored();
    const bool is_plain =
        domain::scheme(model_.weights.linear).granularity == domain::ScaleGranularity::None;
    if (is_plain) model_.weights.other = model_.weights.linear;
    TensorListing listing = gguf_.listing;
    listing.named = named_type();
    model_.parameters.total = domain::count_parameters(model_);
    model_.parameters.active = domain::count_active_parameters(model_);
    model_.sources.push_back({"parameters.total", "computed from the architecture"});
    for (Diagnostic& fault : hold_against(listing, model_))
      refuse(std::move(fault.message), std::move(fault.help));
    explain_difference();
  }

  void explain_difference() {
    if (!model_.parameters.stored || *model_.parameters.stored == model_.parameters.total) return;
    std::int64_t buffers = 0;
    for (const ListedTensor& tensor : gguf_.listing.tensors) {
      if (is_rotary_buffer(tensor.name)) buffers += tensor.values();
    }
    model_.notes.push_back(
        fmt::format("the file stores {} values, the architecture has {}{}",
                    *model_.parameters.stored, model_.parameters.total,
                    buffers == 0 ? std::string()
                                 : fmt::format(": {} are rotary frequencies, a buffer", buffers)));
  }

  const GgufFile& gguf_;
  domain::Model model_;
  std::string architecture_;
  std::int64_t layers_ = 0;
  std::int64_t predicting_ = 0;
  Diagnostics faults_;
};

}  // namespace

Result<domain::Model> gguf_model(const GgufFile& gguf, const std::string& id) {
  return ModelBuilder(gguf, id).build();
}

Result<domain::Model> read_gguf_model(const std::string& path) {
  const Result<GgufFile> gguf = read_gguf(path);
  if (!gguf) return std::unexpected(gguf.error());
  return gguf_model(*gguf, path);
}

}  // namespace gpushape::catalog
