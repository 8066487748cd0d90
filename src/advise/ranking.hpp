// The total order of shapes: feasibility, place in the wish list (equal for every device of an
// `any`), rule order, stranded bytes, GPU share, name.
#pragma once

#include <vector>

#include "advise/offers.hpp"

namespace gpushape::advise {

/// Best first. Inside "rule order": the rule that leads to a shape, the mode that rules prefer, and
/// sizes of the halving catalog before others. Of equal GPU shares, the one that takes less memory.
void rank(std::vector<Offer>& offers);

}  // namespace gpushape::advise
