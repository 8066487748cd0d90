// The model that proposes tokens to the one that a start serves.
#pragma once

#include "calibrate/engine_start.hpp"
#include "catalog/catalog.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

/// What Model::origin says of a draft that is known by its method alone.
inline constexpr std::string_view kDraftByMethod = "the method that drafts";

/// Looks up the draft that the start names; where the catalog has none of that name, it is the head
/// that the start's method trains for `target` (domain::usual_draft), of the size of its files
/// where the start prints it. Stays unknown where neither tells.
void find_draft(EngineStart& start, const catalog::Catalog& catalog, const domain::Model& target);

}  // namespace gpushape::calibrate
