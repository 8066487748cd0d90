#include "catalog/named_parts.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "catalog/catalog.hpp"

namespace gpushape::catalog {
namespace {

std::optional<domain::Model> model_named_in(const Fields& root, std::string_view field) {
  const std::string name = root.text(field).value_or("");
  if (name.empty()) return std::nullopt;
  const Result<Catalog> catalog = Catalog::open();
  if (!catalog) return std::nullopt;
  Result<domain::Model> found = catalog->find_name(name);
  if (found) return *std::move(found);
  root.complain(field, fmt::format("{} '{}' is no model that is known", field, name),
                "write the part of its config.json that describes it into this one");
  return std::nullopt;
}

}  // namespace

void take_named_decoder(const Fields& root, domain::Model& model) {
  std::optional<domain::Model> named = model_named_in(root, "text_model_id");
  if (!named) return;
  domain::Model decoder = *std::move(named);
  decoder.notes = std::move(model.notes);
  decoder.notes.push_back(fmt::format("the decoder is {} of the catalog", decoder.id));
  decoder.id = std::move(model.id);
  decoder.base.reset();
  decoder.aliases.clear();
  decoder.parameters.stored.reset();
  decoder.origin = std::move(model.origin);
  decoder.family = std::move(model.family);
  decoder.architecture = std::move(model.architecture);
  decoder.role = model.role;
  std::erase_if(decoder.sources,
                [](const domain::FactSource& row) { return row.fact.starts_with("parameters"); });
  decoder.sources.insert(decoder.sources.end(), model.sources.begin(), model.sources.end());
  model = std::move(decoder);
}

std::optional<domain::Tower> named_encoder(const Fields& root) {
  const std::optional<domain::Model> named = model_named_in(root, "audio_model_id");
  if (!named || named->towers.empty()) return std::nullopt;
  return named->towers.front();
}

}  // namespace gpushape::catalog
