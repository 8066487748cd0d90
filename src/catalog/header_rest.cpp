#include "catalog/header_rest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "catalog/stored_modules.hpp"
#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using domain::TensorPart;
using Scope = TensorName::Scope;

constexpr std::size_t kMostNamed = 3;

bool is_beside(const domain::Model& model, TensorPart part) {
  return part == TensorPart::Tower || part == TensorPart::MultiToken ||
         (part == TensorPart::Head && (model.tied_embeddings || !model.has_head));
}

/// Bytes stored for the decoder itself, less what its architecture comes to.
std::int64_t bytes_beyond(const domain::Model& model) {
  std::int64_t bytes = 0;
  for (const domain::StoredPart& part : model.stored) {
    if (!is_beside(model, part.part)) bytes += part.bytes;
  }
  domain::Model decoder = model;
  decoder.towers.clear();
  decoder.multi_token_prediction.reset();
  return bytes - domain::stored_bytes(decoder);
}

using Names = std::unordered_set<std::string>;

/// The modules that the architecture speaks of, under all names that are looked for.
Names known_modules(const domain::Model& model) {
  Names names;
  const auto add = [&](const std::vector<domain::Tensor>& tensors) {
    for (const domain::Tensor& tensor : tensors) {
      names.emplace(tensor.name);
      if (std::string fused = fused_name(tensor.name); !fused.empty())
        names.insert(std::move(fused));
    }
  };
  for (const domain::LayerRun& run : model.layers) add(domain::tensors_of(run.layer, model));
  add(domain::outer_tensors(model));
  return names;
}

// Norms go by other names in many families; scales and indices are part of the scheme.
bool can_be_unknown(const TensorName& name) {
  return (name.scope == Scope::Layer || name.scope == Scope::Outer) && name.suffix == "weight" &&
         name.part != TensorPart::Norm && name.module.find("norm") == std::string::npos &&
         name.module.find("ln_") == std::string::npos;
}

/// The largest tensors of no known module that together make up the bytes.
std::vector<const ListedTensor*> unknown_tensors(const TensorListing& listing,
                                                 const domain::Model& model, std::int64_t bytes) {
  const Names known = known_modules(model);
  std::vector<const ListedTensor*> unknown;
  for (const ListedTensor& tensor : listing.tensors) {
    if (tensor.bytes > bytes || tensor.bytes == 0) continue;
    const TensorName name = parsed_name(listing, tensor);
    if (can_be_unknown(name) && !is_beside(model, name.part) && !known.contains(name.module))
      unknown.push_back(&tensor);
  }
  std::ranges::stable_sort(unknown, std::greater<>(), &ListedTensor::bytes);
  std::vector<const ListedTensor*> found;
  for (const ListedTensor* tensor : unknown) {
    if (tensor->bytes > bytes) continue;
    bytes -= tensor->bytes;
    found.push_back(tensor);
  }
  return found;
}

void note_unknown(const TensorListing& listing, domain::Model& model) {
  const std::int64_t beyond = bytes_beyond(model);
  if (beyond <= 0) return;
  const std::vector<const ListedTensor*> unknown = unknown_tensors(listing, model, beyond);
  if (unknown.empty()) return;
  std::string names;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const ListedTensor& tensor = *unknown[i];
    bytes += tensor.bytes;
    if (i < kMostNamed) {
      names += fmt::format("{}'{}' ({} x {}, {})", i == 0 ? "" : ", ", tensor.name.substr(0, 120),
                           tensor.rows, tensor.columns, tensor.type->name);
    } else if (i == kMostNamed) {
      names += " …";
    }
  }
  model.notes.push_back(fmt::format(
      "{} holds {} tensor{} that no part of the architecture is, {} bytes in all, which "
      "are counted: "
      "{}",
      listing.source, unknown.size(), unknown.size() == 1 ? "" : "s", bytes, names));
}

bool has_packed(const domain::Model& model) {
  const auto is_packed = [](const domain::WeightScheme& scheme) {
    return scheme.granularity != domain::ScaleGranularity::None;
  };
  return is_packed(domain::scheme_of(model.weights)) ||
         std::ranges::any_of(model.exceptions,
                             [&](const auto& exception) { return is_packed(exception.scheme); });
}

}  // namespace

void explain_stored(const TensorListing& listing, domain::Model& model) {
  note_unknown(listing, model);
  if (!model.parameters.stored || *model.parameters.stored == model.parameters.total) return;
  const bool has_copy = std::ranges::any_of(model.stored, [&](const domain::StoredPart& part) {
    return part.part == TensorPart::Head && is_beside(model, part.part);
  });
  std::string why = "some are stored beside the architecture, or are not stored";
  if (has_packed(model)) {
    why = "packed words, scales and zero points are counted one by one";
  } else if (has_copy) {
    why = "a copy of the tied head is counted";
  }
  model.notes.push_back(fmt::format("{} holds {} values for {} parameters: {}", listing.source,
                                    *model.parameters.stored, model.parameters.total, why));
}

}  // namespace gpushape::catalog
