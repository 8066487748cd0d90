// A model as a catalog entry: the inverse of read_model (model_entry.hpp).
//
// Facts stand in groups by their source, in the order in which the sources first appear. A fact
// whose source the model does not know goes to the group of `default_source`. What the model knows
// the source of but the form has no fact for ("family") goes under `sources`.
#pragma once

#include <string>

#include "document/node.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

struct EntryOptions {
  std::string default_source = "config.json";
  /// Stands for sources that are just "config.json": an address says more.
  std::string config_source = {};
};

document::Node model_entry(const domain::Model& model, const EntryOptions& options = {});
/// As YAML text.
std::string model_entry_text(const domain::Model& model, const EntryOptions& options = {});

}  // namespace gpushape::catalog
