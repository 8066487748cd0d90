#include "advise/ranking.hpp"

#include <algorithm>
#include <tuple>

namespace gpushape::advise {

namespace {

/// Equal in all else: what a scheduler counts by memory before what a node is set up for (MPS).
int order_of(domain::Technology technology) {
  if (technology == domain::Technology::Mps) return static_cast<int>(technology) + 2;
  return static_cast<int>(technology);
}

auto key(const Offer& offer) {
  const domain::RankedShape& ranked = offer.ranked;
  return std::make_tuple(ranked.fits_at, ranked.wish, offer.rule_rank, offer.is_other_mode,
                         offer.is_outside_catalog, ranked.stranded_bytes, offer.gpu_share,
                         offer.taken_bytes, std::cref(ranked.shape.device),
                         std::cref(ranked.shape.profile), order_of(ranked.shape.technology),
                         ranked.shape.count, ranked.replicas);
}

}  // namespace

void rank(std::vector<Offer>& offers) {
  std::ranges::sort(offers, [](const Offer& a, const Offer& b) { return key(a) < key(b); });
}

}  // namespace gpushape::advise
