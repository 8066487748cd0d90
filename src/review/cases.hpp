// A manifest for every rule that has one with which the rule finds fault: the test cases, which
// explain shows as examples.
#pragma once

#include <span>

#include "base/embedded_text.hpp"

namespace gpushape::review {

/// By rule id.
std::span<const EmbeddedText> firing_cases();

}  // namespace gpushape::review
