#include "advise/ranking.hpp"

#include <algorithm>
#include <tuple>

namespace gpushape::advise {

namespace {

auto key(const Offer& offer) {
  const domain::RankedShape& ranked = offer.ranked;
  return std::make_tuple(ranked.fits_at, ranked.wish, offer.rule_rank, offer.is_other_mode,
                         offer.is_outside_catalog, ranked.stranded_bytes, offer.gpu_share,
                         offer.taken_bytes, std::cref(ranked.shape.device),
                         std::cref(ranked.shape.profile), ranked.shape.technology,
                         ranked.shape.count, ranked.replicas);
}

}  // namespace

void rank(std::vector<Offer>& offers) {
  std::ranges::sort(offers, [](const Offer& a, const Offer& b) { return key(a) < key(b); });
}

}  // namespace gpushape::advise
