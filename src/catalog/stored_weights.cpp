#include "catalog/stored_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "catalog/stored_scheme.hpp"
#include "catalog/tensor_names.hpp"
#include "domain/modules.hpp"
#include "domain/tensor_exceptions.hpp"

namespace gpushape::catalog {
namespace {

using domain::Tensor;
using domain::TensorPart;
using Scope = TensorName::Scope;

TensorName parsed(const TensorListing& listing, const ListedTensor& tensor) {
  return listing.is_gguf ? parse_gguf_tensor_name(tensor.name) : parse_tensor_name(tensor.name);
}

/// Layers that predict further tokens have modules that no other layer has.
bool marks_multi_token(std::string_view module) {
  return module.ends_with("eh_proj") || module.ends_with("enorm") || module.ends_with("hnorm") ||
         module.find("shared_head") != std::string_view::npos;
}

std::set<std::int64_t> multi_token_layers(const TensorListing& listing) {
  std::set<std::int64_t> layers;
  for (const ListedTensor& tensor : listing.tensors) {
    if (tensor.name.find("eh_proj") == std::string::npos &&
        tensor.name.find("enorm") == std::string::npos &&
        tensor.name.find("shared_head") == std::string::npos)
      continue;
    const TensorName name = parsed(listing, tensor);
    if (name.layer >= 0 && marks_multi_token(name.module)) layers.insert(name.layer);
  }
  return layers;
}

struct Key {
  bool is_multi_token = false;
  std::int64_t layer = -1;
  std::string module = {};

  auto operator<=>(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const auto place = static_cast<std::size_t>(key.layer * 2 + (key.is_multi_token ? 1 : 0));
    return std::hash<std::string>()(key.module) ^ (place * 0x9E3779B97F4A7C15ULL);
  }
};
using Modules = std::unordered_map<Key, StoredModule, KeyHash>;

// Tensors that a checkpoint may hold in one piece, and the piece.
std::string fused_name(std::string_view module) {
  for (const std::string_view part : {"q_proj", "k_proj", "v_proj"}) {
    if (module == fmt::format("self_attn.{}", part)) return "self_attn.qkv_proj";
  }
  if (module.ends_with("gate_proj") || module.ends_with("up_proj")) {
    const std::size_t dot = module.rfind('.');
    return fmt::format("{}.gate_up_proj", module.substr(0, dot));
  }
  if (module == "linear_attn.in_proj_qkv" || module == "linear_attn.in_proj_z")
    return "linear_attn.in_proj_qkvz";
  if (module == "linear_attn.in_proj_b" || module == "linear_attn.in_proj_a")
    return "linear_attn.in_proj_ba";
  return {};
}

// Where GGUF files keep what other checkpoints keep apart, or name it after another mixer.
struct Stead {
  std::string_view module;
  std::string_view stands_in;
};
constexpr auto kGgufSteads = std::to_array<Stead>({
    {"self_attn.kv_b_proj", "self_attn.k_b_proj"},
    {"mlp.gate_proj", "mlp.up_proj"},
    {"linear_attn.in_proj_qkv", "self_attn.qkv_proj"},
    {"linear_attn.in_proj_qkv", "mamba.in_proj"},
    {"linear_attn.in_proj_z", "mamba.in_proj"},
    {"linear_attn.in_proj_a", "linear_attn.in_proj_ba"},
    {"linear_attn.out_proj", "mamba.out_proj"},
});

/// What a header and a model say of one another.
class Comparison {
 public:
  Comparison(const TensorListing& listing, domain::Model& model)
      : listing_(listing), model_(model) {
    const std::set<std::int64_t> multi_token = multi_token_layers(listing);
    const std::int64_t first_extra = layers();
    for (const ListedTensor& tensor : listing.tensors) {
      TensorName name = parsed(listing, tensor);
      if (name.scope == Scope::Tower) continue;
      Key key{.is_multi_token = name.scope == Scope::MultiToken, .layer = name.layer};
      if (name.scope == Scope::Layer &&
          (name.layer >= first_extra || multi_token.contains(name.layer))) {
        key.is_multi_token = true;
        key.layer = name.layer - first_extra;
      }
      key.module = std::move(name.module);
      modules_[std::move(key)].take(tensor, name.suffix);
    }
  }

  void run() {
    const domain::Model before = model_;
    compare(before, before.layers, false);
    if (before.multi_token_prediction) compare(before, before.multi_token_prediction->layers, true);
    for (const Tensor& tensor : domain::outer_tensors(before))
      compare(before, tensor, domain::kOutsideLayers, false);
    note();
    // From here on the header's findings stand for the config's scheme and lists.
    name_after_most();
    model_.weights.kept.clear();
    domain::TensorExceptions exceptions(model_);
    for (const Found& found : found_)
      exceptions.add(found.tensor, found.layer, found.is_multi_token, found.scheme);
    model_.weights.modules = domain::patterns_of_exceptions(model_);
  }

 private:
  struct Found {
    Tensor tensor;
    std::int64_t layer = 0;
    bool is_multi_token = false;
    domain::WeightScheme scheme;
  };

  /// The scheme of most of the linear layers' values names the whole.
  void name_after_most() {
    std::vector<std::pair<domain::WeightScheme, std::int64_t>> values;
    for (const Found& found : found_) {
      if (!found.tensor.is_linear || found.is_multi_token) continue;
      const auto row =
          std::ranges::find(values, found.scheme, [](const auto& v) { return v.first; });
      if (row == values.end()) {
        values.emplace_back(found.scheme, found.tensor.values());
      } else {
        row->second += found.tensor.values();
      }
    }
    const auto most = std::ranges::max_element(values, {}, [](const auto& v) { return v.second; });
    if (most == values.end() || most->first == domain::scheme_of(model_.weights)) return;
    const domain::ModuleFormat format = domain::format_of(most->first);
    model_.weights.linear = format.quantization;
    model_.weights.group = format.group;
    model_.weights.zero_points = format.zero_points;
    model_.weights.static_activation_scales = format.static_activation_scales;
  }

  [[nodiscard]] std::int64_t layers() const {
    std::int64_t count = 0;
    for (const domain::LayerRun& run : model_.layers) count += run.count;
    return count;
  }

  [[nodiscard]] const StoredModule* find(std::string_view name, std::int64_t layer,
                                         bool is_multi_token) const {
    const auto at = [&](std::string module) -> const StoredModule* {
      const auto found = modules_.find(
          {.is_multi_token = is_multi_token, .layer = layer, .module = std::move(module)});
      return found == modules_.end() ? nullptr : &found->second;
    };
    if (const StoredModule* own = at(std::string(name))) return own;
    if (const StoredModule* fused = at(fused_name(name))) return fused;
    if (!listing_.is_gguf) return nullptr;
    for (const Stead& stead : kGgufSteads) {
      if (stead.module != name) continue;
      if (const StoredModule* other = at(std::string(stead.stands_in))) return other;
    }
    return nullptr;
  }

  void compare(const domain::Model& before, const std::vector<domain::LayerRun>& runs,
               bool is_multi_token) {
    std::int64_t first = 0;
    for (const domain::LayerRun& run : runs) {
      for (const Tensor& tensor : domain::tensors_of(run.layer, before)) {
        for (std::int64_t layer = first; layer < first + run.count; ++layer)
          compare(before, tensor, layer, is_multi_token);
      }
      first += run.count;
    }
  }

  void compare(const domain::Model& before, const Tensor& tensor, std::int64_t layer,
               bool is_multi_token) {
    const domain::WeightScheme said = is_multi_token
                                          ? domain::multi_token_scheme(before, tensor, layer)
                                          : domain::scheme_of(before, tensor, layer);
    domain::WeightScheme stored = said;
    const bool can_be_quantized = tensor.is_linear || tensor.part == TensorPart::Head ||
                                  tensor.part == TensorPart::Router ||
                                  tensor.part == TensorPart::Embedding;
    if (can_be_quantized) {
      const StoredModule* module = find(tensor.name, layer, is_multi_token);
      if (module == nullptr) {
        remember(missing_, tensor, layer);
      } else if (const auto found = scheme_of(*module, tensor, before.weights.other)) {
        stored = *found;
      } else {
        remember(strange_, tensor, layer);
      }
    }
    if (stored.quantization != said.quantization || stored.group != said.group) {
      if (different_.empty()) {
        example_ =
            fmt::format("{}, not {}", name_of(stored.quantization), name_of(said.quantization));
      }
      remember(different_, tensor, layer);
    }
    found_.push_back(
        {.tensor = tensor, .layer = layer, .is_multi_token = is_multi_token, .scheme = stored});
  }

  static void remember(std::vector<std::string>& list, const Tensor& tensor, std::int64_t layer) {
    list.push_back(layer < 0 ? std::string(tensor.name)
                             : fmt::format("{} of layer {}", tensor.name, layer));
  }

  void note() {
    const auto add = [&](const std::vector<std::string>& list, std::string_view what) {
      if (list.empty()) return;
      model_.notes.push_back(fmt::format("{}: {} (the first: {})", listing_.source,
                                         fmt::format(fmt::runtime(what), list.size()),
                                         list.front()));
    };
    if (!different_.empty()) {
      model_.notes.push_back(fmt::format(
          "{} stores {} tensors otherwise than was said (the first: {}: {}); the header wins",
          listing_.source, different_.size(), different_.front(), example_));
    }
    add(missing_, "{} tensors of the architecture are not in the header");
    add(strange_, "{} tensors are stored in a way that is not understood, and sized as was said");
  }

  const TensorListing& listing_;
  domain::Model& model_;
  Modules modules_;
  std::vector<Found> found_;
  std::vector<std::string> different_;
  std::vector<std::string> missing_;
  std::vector<std::string> strange_;
  std::string example_;
};

// A stored vocabulary or type of the rest that the config does not know.
void take_embedding(const TensorListing& listing, domain::Model& model) {
  for (const ListedTensor& tensor : listing.tensors) {
    if (tensor.type == nullptr || !tensor.name.ends_with("embed_tokens.weight")) continue;
    const TensorName name = parsed(listing, tensor);
    if (name.module != "model.embed_tokens" || name.scope != Scope::Outer) continue;
    if (tensor.type->is_float && tensor.type->plain != model.weights.other) {
      model.notes.push_back(
          fmt::format("{} stores the embedding as {}, the config says {}: the "
                      "header wins",
                      listing.source, name_of(tensor.type->plain), name_of(model.weights.other)));
      if (model.weights.linear == model.weights.other) model.weights.linear = tensor.type->plain;
      model.weights.other = tensor.type->plain;
    }
    if (tensor.columns == model.hidden_size && tensor.rows != model.vocabulary && tensor.rows > 0) {
      model.notes.push_back(
          fmt::format("{} stores {} rows of the embedding, the config says {}: "
                      "the header wins",
                      listing.source, tensor.rows, model.vocabulary));
      model.vocabulary = tensor.rows;
    }
    return;
  }
}

void compare_total(const TensorListing& listing, domain::Model& model) {
  constexpr double kAgrees = 0.005;
  if (listing.bytes == 0) return;
  const auto stored = static_cast<double>(listing.bytes);
  const double difference = static_cast<double>(domain::stored_bytes(model)) / stored - 1;
  model.sources.push_back({"storedBytes", listing.source});
  if (difference < kAgrees && difference > -kAgrees) return;
  model.notes.push_back(fmt::format("{} says {:.2f} GiB; architecture and scheme give {:+.1f} %",
                                    listing.source, Bytes(listing.bytes).gib(), difference * 100));
}

}  // namespace

std::vector<domain::StoredPart> sorted_parts(const TensorListing& listing) {
  const std::set<std::int64_t> multi_token = multi_token_layers(listing);
  std::map<std::pair<TensorPart, std::string_view>, domain::StoredPart> parts;
  for (const ListedTensor& tensor : listing.tensors) {
    if (tensor.type == nullptr) continue;
    const TensorName name = parsed(listing, tensor);
    const TensorPart part = name.scope == Scope::Layer && multi_token.contains(name.layer)
                                ? TensorPart::MultiToken
                                : name.part;
    domain::StoredPart& row = parts[{part, tensor.type->name}];
    row.part = part;
    row.dtype = tensor.type->name;
    row.tensors += 1;
    row.values += tensor.values();
    row.bytes += tensor.bytes;
  }
  std::vector<domain::StoredPart> sorted;
  sorted.reserve(parts.size());
  for (auto& [key, row] : parts) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return a.part != b.part ? a.part < b.part : a.bytes > b.bytes;
  });
  return sorted;
}

std::string parts_text(const std::vector<domain::StoredPart>& parts) {
  std::string text;
  for (auto part = parts.begin(); part != parts.end();) {
    std::int64_t bytes = 0;
    const TensorPart kind = part->part;
    for (; part != parts.end() && part->part == kind; ++part) bytes += part->bytes;
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", name_of(kind), Bytes(bytes).gib());
  }
  return text;
}

void hold_against(const TensorListing& listing, domain::Model& model) {
  for (const std::string& note : listing.notes) model.notes.push_back(note);
  if (listing.has_names_only) {
    compare_total(listing, model);
    return;
  }
  take_embedding(listing, model);
  domain::resolve_modules(model);
  Comparison(listing, model).run();
  model.stored = sorted_parts(listing);
  std::int64_t values = 0;
  for (const domain::StoredPart& part : model.stored) values += part.values;
  model.parameters.stored = values;
  model.sources.push_back({"weights", listing.source});
}

}  // namespace gpushape::catalog
