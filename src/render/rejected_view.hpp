// The refused shapes for people, by the fact that refuses them.
#pragma once

#include <span>

#include "domain/advice.hpp"
#include "render/page.hpp"

namespace gpushape::render {

void show_rejected(Page& page, std::span<const domain::RejectedShape> rejected);

}  // namespace gpushape::render
