#include "cli/measured_starts.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "document/node.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using document::Document;
using document::Node;

/// The complaint about a name, at the place of the field that holds it.
Diagnostics at_field(Diagnostics faults, const Document& document, const Node& start,
                     std::string_view field) {
  const Node* node = start.find(field);
  Diagnostics placed;
  for (Diagnostic& fault : faults) {
    // A model's own file has places of its own.
    const bool is_placed = node == nullptr || !fault.span.file.empty();
    placed.push_back(is_placed
                         ? std::move(fault)
                         : document.source->diagnostic(node->position(), std::move(fault.message),
                                                       std::move(fault.help)));
  }
  return placed;
}

class Names {
 public:
  Names(const Document& document, const catalog::Catalog& catalog,
        const profiles::Profiles& profiles)
      : document_(document), catalog_(catalog), profiles_(profiles) {}

  void resolve(const Node& start, domain::Measurement& measurement) {
    take(catalog_.find(measurement.model), &domain::Model::id, start, "model", measurement.model);
    take(catalog_.engine(measurement.engine), &domain::Engine::name, start, "engine",
         measurement.engine);
    if (!measurement.gpu.empty())
      take(profiles_.find(measurement.gpu), &domain::Device::id, start, "gpu", measurement.gpu);
    if (measurement.draft_model.empty()) return;
    const Result<domain::Model> draft = catalog_.find_name(measurement.draft_model);
    if (draft) measurement.draft_model = draft->id;
  }

  Diagnostics faults;

 private:
  template <class T>
  void take(const Result<T>& found, std::string T::* id, const Node& start, std::string_view field,
            std::string& name) {
    if (found) {
      name = (*found).*id;
      return;
    }
    for (Diagnostic& fault : at_field(found.error(), document_, start, field))
      faults.push_back(std::move(fault));
  }

  const Document& document_;
  const catalog::Catalog& catalog_;
  const profiles::Profiles& profiles_;
};

}  // namespace

Result<std::vector<domain::Measurement>> read_measured_starts(const Document& document,
                                                              const catalog::Catalog& catalog,
                                                              const profiles::Profiles& profiles) {
  Result<std::vector<domain::Measurement>> read = schema::read_evidence(document);
  if (!read) return read;
  Names names(document, catalog, profiles);
  const std::vector<Node>& starts = document.root.find("starts")->items();
  for (std::size_t i = 0; i < starts.size(); ++i) names.resolve(starts[i], (*read)[i]);
  if (!names.faults.empty()) return failure(std::move(names.faults));
  return read;
}

}  // namespace gpushape::cli
