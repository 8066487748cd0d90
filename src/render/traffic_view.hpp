// The sequences in flight and what they hold together, and the answer to an inverse question.
#pragma once

#include <string>

#include "domain/estimate.hpp"
#include "render/page.hpp"

namespace gpushape::render {

/// Nothing where the estimate has no traffic.
void show_traffic(Page& page, const domain::Estimate& estimate);
void show_solution(Page& page, const domain::Estimate& estimate);

/// "P99", "P99.9".
std::string level_text(double level);

}  // namespace gpushape::render
