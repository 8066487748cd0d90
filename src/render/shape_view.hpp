// Shapes for people: the first in full with its VM contract, the others as a table.
#pragma once

#include <span>

#include "domain/advice.hpp"
#include "render/page.hpp"

namespace gpushape::render {

void show_shape(Page& page, const domain::RankedShape& ranked, const domain::Advice& advice);
/// Notes that the findings of `advice` repeat are left to those.
void show_contract(Page& page, const domain::ResourceContract& contract,
                   const domain::Advice& advice);
/// `shapes` are those behind the first.
void show_other_shapes(Page& page, std::span<const domain::RankedShape> shapes);

/// "16 on one host: GPU slots bind".
std::string density_text(const domain::Density& density);

}  // namespace gpushape::render
