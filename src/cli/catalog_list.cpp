// gpushape catalog list: the models, or the words for precisions.
#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.hpp"
#include "catalog/modality.hpp"
#include "catalog/quantization_names.hpp"
#include "cli/catalog.hpp"
#include "cli/listing.hpp"
#include "render/words.hpp"

namespace gpushape::cli {
namespace {

using document::Node;
using render::Align;

Listing quantization_listing() {
  Listing listing;
  listing.heads = {
      {"name", Align::Left}, {"also written", Align::Left}, {"what it is", Align::Left}};
  for (const auto& row : kNames<domain::Quantization>) {
    std::vector<std::string> spellings;
    Node also = Node::sequence();
    for (const catalog::QuantizationSpelling& spelling : catalog::quantization_spellings()) {
      if (spelling.value != row.value || spelling.spelling == row.name) continue;
      spellings.push_back(spelling.remark.empty()
                              ? std::string(spelling.spelling)
                              : fmt::format("{} ({})", spelling.spelling, spelling.remark));
      also.add(spelling.spelling);
    }
    Node node = Node::mapping();
    node.set("name", row.name);
    node.set("spellings", std::move(also));
    node.set("description", row.description);
    listing.rows.push_back({{std::string(row.name), fmt::format("{}", fmt::join(spellings, ", ")),
                             std::string(row.description)},
                            std::move(node)});
  }
  return listing;
}

bool same_letter(unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }

bool is_named(const std::vector<std::string>& wanted, std::string_view name) {
  return wanted.empty() || std::ranges::any_of(wanted, [&](const std::string& word) {
           return std::ranges::equal(word, name, same_letter);
         });
}

// A format that the linear layers, or some of them, are in.
bool is_stored_as(const domain::WeightFormat& weights, domain::Quantization quantization) {
  return weights.linear == quantization ||
         std::ranges::find(weights.modules, quantization, &domain::ModuleFormat::quantization) !=
             weights.modules.end();
}

bool is_wanted(const domain::Model& model, const Invocation& invocation) {
  const CatalogFilter& filter = invocation.catalog_filter;
  if (!is_named(filter.families, model.family)) return false;
  if (filter.size &&
      (model.parameters.total < filter.size->least || model.parameters.total > filter.size->most))
    return false;
  if (invocation.workload.quantization &&
      !is_stored_as(model.weights, invocation.workload.quantization->value))
    return false;
  if (!filter.modality) return true;
  const auto modalities = catalog::modalities_of(model);
  return std::ranges::find(modalities, *filter.modality) != modalities.end();
}

// A family that no model is of is a slip of the keyboard, and no empty list.
Diagnostics unknown_families(const std::vector<std::string>& wanted,
                             const std::vector<std::string>& known) {
  Diagnostics faults;
  for (const std::string& family : wanted) {
    if (is_named(known, family)) continue;
    faults.push_back(complaint(fmt::format("--family: no model is of the family '{}'", family),
                               suggestion(family, known, "see the column family of catalog list")));
  }
  return faults;
}

Row row_of(const domain::Model& model) {
  const std::string stored(name_of(model.weights.linear));
  Node node = Node::mapping();
  node.set("id", model.id);
  node.set("family", model.family);
  node.set("parameters", model.parameters.total);
  if (model.parameters.active != model.parameters.total)
    node.set("activeParameters", model.parameters.active);
  if (model.max_context_tokens > 0) node.set("contextTokens", model.max_context_tokens);
  Node& modalities = node.set("modalities", Node::sequence());
  for (const catalog::Modality modality : catalog::modalities_of(model))
    modalities.add(name_of(modality));
  node.set("quantization", stored);
  return {{model.id, model.family, render::parameters_text(model.parameters.total),
           model.max_context_tokens > 0 ? std::to_string(model.max_context_tokens) : "-", stored},
          std::move(node)};
}

}  // namespace

int list_catalog(const Invocation& invocation, const Terminal& terminal) {
  if (invocation.wants_quantizations) return print(quantization_listing(), invocation, terminal);
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return refuse(catalog.error(), terminal);
  Listing listing;
  listing.heads = {{"model", Align::Left},
                   {"family", Align::Left},
                   {"parameters", Align::Right},
                   {"context", Align::Right},
                   {"stored as", Align::Left}};
  listing.kind = "Catalog";
  listing.field = "models";
  std::vector<std::string> families;
  for (const std::string& id : catalog->models()) {
    const Result<domain::Model> model = catalog->find(id);
    if (!model) return refuse(model.error(), terminal);
    if (std::ranges::find(families, model->family) == families.end())
      families.push_back(model->family);
    if (is_wanted(*model, invocation)) listing.rows.push_back(row_of(*model));
  }
  if (const Diagnostics faults = unknown_families(invocation.catalog_filter.families, families);
      !faults.empty())
    return refuse(faults, terminal);
  if (listing.rows.empty()) {
    terminal.err
        << "no entry is so; a quantized repository needs none where its name tells its base "
           "and its format (\"Qwen/Qwen3-8B-GPTQ\")\n";
  }
  return print(listing, invocation, terminal);
}

}  // namespace gpushape::cli
