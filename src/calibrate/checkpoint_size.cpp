#include "calibrate/checkpoint_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "catalog/quantization_methods.hpp"
#include "catalog/renamed_model.hpp"
#include "catalog/repository_name.hpp"
#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::calibrate {
namespace {

/// Of a checkpoint's size: names' recipes come as near where they hold. Twelve starts of 0.20 to
/// 0.30 lie within 0.1 %; a hundredth of a GiB is printed, and a header has some kilobytes.
constexpr double kExplained = 0.004;

/// Further off than any recipe: other files than those of the name.
constexpr double kOtherFiles = 0.5;

/// What a copy holds beside the layers that it is served with, bytes.
struct Beside {
  std::int64_t predicting = 0;   ///< layers that predict further tokens
  std::int64_t second_head = 0;  ///< of a head that is tied to the embedding

  [[nodiscard]] std::int64_t sum() const { return predicting + second_head; }
};

domain::StoredPart part_of(domain::TensorPart part, std::int64_t bytes) {
  return {.part = part, .dtype = "checkpoint size", .tensors = 0, .values = 0, .bytes = bytes};
}

/// A recipe held against the size.
struct Explanation {
  Beside beside;
  double unexplained = 0;  ///< of the size
};

/// Nearly all copies keep the layers that predict: the first that explains the size is it, and
/// where none does, the nearest.
Explanation explained(const domain::Model& model, Bytes total) {
  const std::int64_t predicting = domain::stored_prediction_bytes(model);
  const std::int64_t head =
      model.tied_embeddings && model.has_head ? domain::stored_table_bytes(model) : 0;
  const std::int64_t rest = total.count() - (domain::stored_bytes(model) - predicting);
  Explanation nearest{.beside = {}, .unexplained = 1};
  for (const Beside& beside : {Beside{predicting, 0}, {0, 0}, {predicting, head}, {0, head}}) {
    const double unexplained =
        std::abs(static_cast<double>(rest - beside.sum())) / static_cast<double>(total.count());
    if (unexplained < nearest.unexplained) nearest = {beside, unexplained};
    if (nearest.unexplained <= kExplained) break;
  }
  return nearest;
}

/// In a publisher's recipe for this base and format that explains the size; as it is where none
/// does.
domain::Model in_known_recipe(domain::Model model, Bytes total) {
  const std::string base = catalog::lower_case(model.base.value_or(model.id));
  const std::string_view name = std::string_view(base).substr(base.rfind('/') + 1);
  for (const catalog::RepositorySuffix& row : catalog::repository_suffixes()) {
    const bool is_for_it = !row.base.empty() && name.starts_with(row.base) &&
                           row.linear == model.weights.linear && !row.is_text_alone;
    if (!is_for_it) continue;
    domain::Model other = catalog::requantized(model, model.id, row);
    if (explained(other, total).unexplained > kExplained) continue;
    // It is read by its size, not by the end of its name.
    other.notes = std::move(model.notes);
    if (!row.organization.empty())
      other.sources.back().source =
          fmt::format("as copies by {}: {}", row.organization, row.source);
    return other;
  }
  return model;
}

/// What no recipe explains is there, and how half of it is laid out is open: of 0.41 GiB of
/// unsloth/gemma-4-E4B-it-NVFP4 the loaded weights are 0.12 off. So is whether the layers that
/// predict are among what is stored, unless they are loaded.
domain::SizeDoubt doubt_of(const Explanation& explanation, std::int64_t predicting, Bytes total) {
  constexpr double kHalf = 0.5;
  const double half = kHalf * explanation.unexplained;
  const double share = static_cast<double>(predicting) / static_cast<double>(total.count());
  domain::SizeDoubt doubt{.less = half, .more = half};
  (explanation.beside.predicting > 0 ? doubt.more : doubt.less) += share;
  return doubt;
}

}  // namespace

domain::Model of_checkpoint_size(domain::Model model, double checkpoint_gib, bool loads_drafts) {
  const bool is_open = model.weights.is_told_by_name && model.stored.empty();
  constexpr double kMostGib = 1 << 20;
  const bool is_size = checkpoint_gib > 0 && checkpoint_gib < kMostGib;
  if (!is_open || !is_size) return model;
  const Bytes total = gib_of(checkpoint_gib);
  Explanation explanation = explained(model, total);
  if (explanation.unexplained > kOtherFiles) return model;
  if (explanation.unexplained > kExplained) {
    model = in_known_recipe(std::move(model), total);
    explanation = explained(model, total);
  }
  const Beside& beside = explanation.beside;
  model.stored.push_back(part_of(domain::TensorPart::Other, total.count() - beside.sum()));
  if (beside.predicting > 0)
    model.stored.push_back(part_of(domain::TensorPart::MultiToken, beside.predicting));
  if (beside.second_head > 0)
    model.stored.push_back(part_of(domain::TensorPart::Head, beside.second_head));
  model.weights.is_told_by_name = explanation.unexplained > kExplained;
  model.weights.richer = 0;
  if (!model.weights.is_told_by_name) return model;
  const std::int64_t open = loads_drafts ? 0 : domain::stored_prediction_bytes(model);
  model.weights.doubt = doubt_of(explanation, open, total);
  return model;
}

}  // namespace gpushape::calibrate
