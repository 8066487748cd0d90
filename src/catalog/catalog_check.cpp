#include "catalog/catalog_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "catalog/model_entry.hpp"
#include "catalog/model_entry_text.hpp"
#include "catalog/quantization_methods.hpp"
#include "document/text_format.hpp"
#include "domain/parameter_parts.hpp"

namespace gpushape::catalog {
namespace {

class Check {
 public:
  explicit Check(const Catalog& catalog) : catalog_(catalog) {}

  CatalogReport run() {
    for (const std::string& id : catalog_.models()) {
      ++report_.models;
      const Result<domain::Model> model = catalog_.find(id);
      if (!model) {
        for (const Diagnostic& fault : model.error()) complain(id, fault.message);
        continue;
      }
      check_totals(*model);
      check_sources(*model);
      check_names(*model);
      check_text(*model);
    }
    return std::move(report_);
  }

 private:
  void complain(const std::string& model, std::string says) {
    report_.faults.push_back({model, std::move(says)});
  }

  // The reader holds a stated total against the tensors; here the parts are added up, and what the
  // checkpoint holds beside them must be explained.
  void check_totals(const domain::Model& model) {
    std::int64_t sum = model.parameters.scales;
    for (const domain::PartCount& row : domain::parameters_by_part(model)) sum += row.values;
    if (sum != model.parameters.total) {
      complain(model.id, fmt::format("its parts add up to {} parameters, its total is {}", sum,
                                     model.parameters.total));
    }
    if (model.parameters.stored && *model.parameters.stored != model.parameters.total &&
        model.notes.empty()) {
      complain(model.id, fmt::format("its checkpoint holds {} parameters rather than {}, and no "
                                     "note explains the difference",
                                     *model.parameters.stored, model.parameters.total));
    }
  }

  void check_sources(const domain::Model& model) {
    report_.facts += model.sources.size();
    for (const domain::FactSource& row : model.sources) {
      if (row.source.empty()) complain(model.id, fmt::format("fact '{}' has no source", row.fact));
    }
  }

  void check_names(const domain::Model& model) {
    std::vector<std::string> names = {model.id};
    names.insert(names.end(), model.aliases.begin(), model.aliases.end());
    for (const std::string& name : names) {
      ++report_.names;
      const auto [other, is_new] = owners_.emplace(lower_case(std::string(name)), model.id);
      if (!is_new) complain(model.id, fmt::format("'{}' is a name of {} too", name, other->second));
      const Result<domain::Model> found = catalog_.find(name);
      if (!found || lower_case(found->id) != lower_case(std::string(model.id)))
        complain(model.id, fmt::format("'{}' does not lead to it", name));
    }
  }

  void check_text(const domain::Model& model) {
    const auto documents = document::read_yaml(model_entry_text(model), model.id);
    if (!documents) return complain(model.id, "written as an entry, it is no YAML");
    Result<domain::Model> back = read_model(documents->front(), model.origin);
    if (!back) return complain(model.id, "written as an entry, it does not read back");
    back->sources = model.sources;
    if (*back != model) complain(model.id, "written as an entry, it reads back otherwise");
  }

  const Catalog& catalog_;
  CatalogReport report_;
  std::map<std::string, std::string> owners_;
};

}  // namespace

CatalogReport check_catalog(const Catalog& catalog) { return Check(catalog).run(); }

}  // namespace gpushape::catalog
