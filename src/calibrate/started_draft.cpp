#include "calibrate/started_draft.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "calibrate/started_model.hpp"
#include "catalog/quantization_methods.hpp"
#include "domain/draft_head.hpp"

namespace gpushape::calibrate {
namespace {

constexpr std::string_view kEagle = "eagle";

/// Names of heads begin as those of models do, "EAGLE-LLaMA3-Instruct-8B".
std::optional<domain::Model> catalogued(const EngineStart& start, const catalog::Catalog& catalog) {
  Result<domain::Model> model = find_started_model(start.draft_model->name.value, catalog);
  if (!model) return std::nullopt;
  const bool is_other = start.draft_method.starts_with(kEagle) && !domain::is_draft_head(*model);
  return is_other ? std::nullopt : std::optional(*std::move(model));
}

/// Those of the third kind may be asked for as "eagle", too, and say in their names what they are.
std::string_view method_of(const EngineStart& start) {
  constexpr std::string_view kEagle3 = "eagle3";
  const bool is_third = catalog::lower_case(start.draft_model->name.value).contains(kEagle3);
  return start.draft_method == kEagle && is_third ? kEagle3 : start.draft_method;
}

std::optional<domain::Model> by_method(const EngineStart& start, const domain::Model& target) {
  std::optional<domain::Model> draft = domain::usual_draft(target, method_of(start));
  if (!draft) return std::nullopt;
  if (start.draft_checkpoint_gib) {
    draft = domain::of_stored_size(*draft, gib_of(*start.draft_checkpoint_gib),
                                   start.draft_has_own_head);
    if (!draft) return std::nullopt;
  }
  draft->id = start.draft_model->name.value;
  draft->origin = kDraftByMethod;
  return draft;
}

}  // namespace

void find_draft(EngineStart& start, const catalog::Catalog& catalog, const domain::Model& target) {
  if (!start.draft_model) return;
  std::optional<domain::Model> draft = catalogued(start, catalog);
  if (!draft) draft = by_method(start, target);
  if (draft) start.draft_model->model = std::make_shared<const domain::Model>(*std::move(draft));
}

}  // namespace gpushape::calibrate
