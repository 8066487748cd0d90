#include "advise/prices.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gpushape::advise {

using domain::Cost;
using domain::Price;
using domain::RankedShape;

namespace {

/// GPUs that the replicas take together, in parts of a device.
double gpus_taken(const RankedShape& ranked) {
  const auto whole = static_cast<double>(ranked.shape.count * ranked.replicas);
  return ranked.per_device > 1 ? whole / static_cast<double>(ranked.per_device) : whole;
}

/// Nothing where an instance has too few GPUs for one replica.
std::optional<Cost> cost_by(const Price& price, const RankedShape& ranked) {
  Cost cost;
  if (price.instance.empty()) {
    const double gpus = gpus_taken(ranked);
    cost.per_hour = gpus * price.per_hour;
    cost.basis = fmt::format("{:g} of a GPU at {:g}", gpus, price.per_hour);
    if (gpus >= 1) cost.basis = fmt::format("{:g} GPUs at {:g}", gpus, price.per_hour);
  } else {
    const std::int64_t in_one = ranked.per_device * (price.gpus / ranked.shape.count);
    if (in_one < 1) return std::nullopt;
    const std::int64_t instances = (ranked.replicas + in_one - 1) / in_one;
    cost.per_hour = static_cast<double>(instances) * price.per_hour;
    cost.basis = fmt::format("{} x {} at {:g}, each with room for {}", instances, price.instance,
                             price.per_hour, in_one);
  }
  // What a share of a device gives, nobody measured.
  if (price.tokens_per_second && ranked.per_device == 1) {
    constexpr double kSecondsOfHour = 3600;
    constexpr double kMillion = 1e6;
    const double tokens = *price.tokens_per_second * gpus_taken(ranked) * kSecondsOfHour;
    cost.per_million_tokens = cost.per_hour / tokens * kMillion;
  }
  return cost;
}

}  // namespace

void price(const domain::PriceList& prices, domain::Advice& advice) {
  for (RankedShape& ranked : advice.shapes) {
    for (const Price& row : prices.prices) {
      if (row.device != ranked.shape.device) continue;
      std::optional<Cost> cost = cost_by(row, ranked);
      if (!cost || (ranked.cost && ranked.cost->per_hour <= cost->per_hour)) continue;
      cost->currency = prices.currency;
      cost->basis += fmt::format(" ({})", prices.source);
      ranked.cost = std::move(cost);
    }
  }
}

}  // namespace gpushape::advise
