// The last lines of an advice: the answer in short, and what to do with it.
#pragma once

#include "domain/advice.hpp"
#include "render/page.hpp"

namespace gpushape::render {

/// Three labelled items: the shape, what goes with it, what it rests on.
void show_verdict(Page& page, const domain::Advice& advice);
/// The command that takes the answer further.
void show_next(Page& page, const domain::Advice& advice);

}  // namespace gpushape::render
