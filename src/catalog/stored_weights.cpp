#include "catalog/stored_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "catalog/header_rest.hpp"
#include "catalog/header_shapes.hpp"
#include "catalog/index_total.hpp"
#include "catalog/limits.hpp"
#include "catalog/stored_modules.hpp"
#include "catalog/stored_scheme.hpp"
#include "catalog/tensor_names.hpp"
#include "domain/modules.hpp"
#include "domain/parameter_counts.hpp"
#include "domain/tensor_exceptions.hpp"

namespace gpushape::catalog {
namespace {

using domain::Tensor;
using domain::TensorPart;
using Scope = TensorName::Scope;

/// What a header and a model say of one another.
class Comparison {
 public:
  Comparison(const TensorListing& listing, const StoredModules& modules, domain::Model& model)
      : listing_(listing), modules_(modules), model_(model) {}

  void run() {
    const domain::Model before = model_;
    compare(before, before.layers, false);
    if (before.multi_token_prediction) compare(before, before.multi_token_prediction->layers, true);
    for (const Tensor& tensor : domain::outer_tensors(before))
      compare(before, tensor, domain::kOutsideLayers, false);
    note();
    // From here on the header's findings stand for the config's scheme and lists.
    name_after_most();
    if (listing_.named) model_.weights.linear = *listing_.named;
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
      const StoredModule* module = modules_.find(tensor.name, layer, is_multi_token);
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
    // Nothing but its header says how a GGUF file is stored.
    if (!different_.empty() && !listing_.is_gguf) {
      model_.notes.push_back(fmt::format(
          "{} stores {} tensors otherwise than was said (the first: {}: {}); the header wins",
          listing_.source, different_.size(), different_.front(), example_));
    }
    add(missing_, "{} tensors of the architecture are not in the header");
    add(strange_, "{} tensors are stored in a way that is not understood, and sized as was said");
  }

  const TensorListing& listing_;
  const StoredModules& modules_;
  domain::Model& model_;
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
    const TensorName name = parsed_name(listing, tensor);
    if (name.module != "model.embed_tokens" || name.scope != Scope::Outer) continue;
    if (tensor.type->is_float && tensor.type->plain != model.weights.other) {
      model.notes.push_back(
          fmt::format("{} stores the embedding as {}, the config says {}: the "
                      "header wins",
                      listing.source, name_of(tensor.type->plain), name_of(model.weights.other)));
      if (model.weights.linear == model.weights.other) model.weights.linear = tensor.type->plain;
      model.weights.other = tensor.type->plain;
    }
    if (tensor.columns == model.hidden_size && tensor.rows != model.vocabulary && tensor.rows > 0 &&
        tensor.rows <= kVocabulary.most) {
      model.notes.push_back(
          fmt::format("{} stores {} rows of the embedding, the config says {}: "
                      "the header wins",
                      listing.source, tensor.rows, model.vocabulary));
      for (domain::ExtraTensor& extra : model.extra) {
        if (extra.name == "lm_head.bias" && extra.rows == model.vocabulary)
          extra.rows = tensor.rows;
      }
      model.vocabulary = tensor.rows;
    }
    return;
  }
}

}  // namespace

std::vector<domain::StoredPart> sorted_parts(const TensorListing& listing) {
  const std::set<std::int64_t> multi_token = multi_token_layers(listing);
  std::map<std::pair<TensorPart, std::string_view>, domain::StoredPart> parts;
  for (const ListedTensor& tensor : listing.tensors) {
    if (tensor.type == nullptr) continue;
    const TensorName name = parsed_name(listing, tensor);
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

Diagnostics hold_against(const TensorListing& listing, domain::Model& model) {
  for (const std::string& note : listing.notes) model.notes.push_back(note);
  if (listing.has_names_only) {
    domain::resolve_modules(model);
    hold_against_total(listing, model);
    return {};
  }
  take_embedding(listing, model);
  std::optional<StoredModules> modules;
  if (!listing.is_gguf) {
    Diagnostics faults = reconcile_shapes(listing, model, modules);
    if (faults.empty())
      faults = contradictions(model, "num_attention_heads", "num_key_value_heads");
    if (!faults.empty()) return faults;
  }
  domain::resolve_modules(model);
  if (!modules) modules.emplace(listing, layers_of(model));
  Comparison(listing, *modules, model).run();
  model.stored = sorted_parts(listing);
  std::int64_t values = 0;
  for (const domain::StoredPart& part : model.stored) values += part.values;
  model.parameters.stored = values;
  model.sources.push_back({"weights", listing.source});
  if (!listing.is_gguf) {
    domain::count_all_parameters(model);
    explain_stored(listing, model);
  }
  return {};
}

}  // namespace gpushape::catalog
