// The memory of one GPU for a model and a workload on an engine: the one function of this room that
// others call.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"

namespace gpushape::estimate {

/// `gpu` is the memory the engine finds there; without it there is no capacity, and batch defaults
/// are the engine's bare ones. Without context or concurrency the KV term is absent and
/// kv_bytes_per_token still holds. What cannot be (tensor parallel that does not divide the heads,
/// a context above the model's) is a Diagnostic.
Result<domain::Estimate> estimate_memory(const domain::Model& model,
                                         const domain::Workload& workload,
                                         const domain::Engine& engine,
                                         const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::estimate
