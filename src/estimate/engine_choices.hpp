// What may be chosen of an engine's settings when the workload leaves them open: steps that its
// servers usually take, and the largest fraction of memory that is safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/estimate.hpp"

namespace gpushape::estimate {

/// Tokens of one step, largest first: the first is for large GPUs. Empty for an engine that runs
/// whole prompts, or that is not known.
std::span<const std::int64_t> usual_steps(std::string_view engine);

/// The largest fraction, up to `highest`, with which all that stands beside it fits at the high end
/// of the estimate's range; nothing where the engine's own default is as safe as any. The fraction
/// is the engine's own: of the total, or of what is free before loading.
std::optional<double> safe_share(const domain::Estimate& estimate,
                                 const domain::VisibleMemory& memory, double highest);

/// What that fraction leaves room for, in words.
std::string_view beside_share(std::string_view engine);

}  // namespace gpushape::estimate
