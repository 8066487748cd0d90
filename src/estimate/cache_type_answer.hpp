// What an engine's release says to the KV cache type that it is asked for, by the rows of
// catalog/engines/<engine>.yaml.
#pragma once

#include <string>

#include "base/result.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

/// Why it is refused, with the types that the release has for this model; empty where it is taken,
/// and where nothing is asked for but `auto`.
Diagnostics complaints_about_cache_type(const Request& request);
/// What a user of a type that is not refused should know; empty for nothing.
std::string note_of_cache_type(const Request& request);

}  // namespace gpushape::estimate
