#include "catalog/modality.hpp"

#include <algorithm>

namespace gpushape::catalog {

std::vector<Modality> modalities_of(const domain::Model& model) {
  const auto has = [&](domain::TowerKind kind) {
    return std::ranges::find(model.towers, kind, &domain::Tower::kind) != model.towers.end();
  };
  std::vector<Modality> found;
  // Who scores pairs by a word's logit has a head, and writes no text.
  const bool is_pooled = model.role == domain::Role::Embed || model.role == domain::Role::Rerank;
  if (model.has_head && !is_pooled) found.push_back(Modality::Text);
  if (model.role == domain::Role::Vision || has(domain::TowerKind::Vision))
    found.push_back(Modality::Vision);
  if (model.role == domain::Role::Speech || has(domain::TowerKind::Audio))
    found.push_back(Modality::Audio);
  if (model.role == domain::Role::Embed) found.push_back(Modality::Embedding);
  if (model.role == domain::Role::Rerank) found.push_back(Modality::Rerank);
  if (found.empty()) found.push_back(Modality::Text);
  return found;
}

}  // namespace gpushape::catalog
