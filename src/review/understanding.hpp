// The workload behind a manifest: what the engine's flags, the pod's annotations and the user's own
// Workload say of model, precision, context, concurrency and layout.
#pragma once

#include "domain/model.hpp"
#include "domain/workload.hpp"
#include "review/pod_request.hpp"
#include "review/request.hpp"

namespace gpushape::review {

/// Flags win over annotations, annotations over `request.workload`. What nobody says stays open.
domain::Workload workload_of(const PodRequest& pod, const Container* container,
                             const ReviewRequest& request);

/// A model's name in a catalog, rather than a path inside a container.
bool is_catalog_name(std::string_view model);

/// A number as engines read one in a flag: "8192", "8,192" not; vLLM's human-readable forms, "32k"
/// = 32000 and "32K" = 32768 (vllm/engine/arg_utils.py: human_readable_int).
std::optional<std::int64_t> engine_integer(std::string_view text);

}  // namespace gpushape::review
