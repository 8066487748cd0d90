// Pods that hold whole GPUs, and the part of one that would do.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "review/deployment.hpp"

namespace gpushape::review {

/// The GPU of a pod that takes whole ones; nullptr where it takes parts, or nobody says which GPU.
const domain::Device* whole_gpu_of(const Deployment& deployment, const PodRequest& pod);
/// Where it asks for them.
const document::Node& place_of_gpus(const PodRequest& pod);

/// The smallest part of the device that holds `need`: a MIG instance where the pod stands on the
/// node itself. nullptr where there is none.
const domain::Profile* instance_for(const domain::Device& device, Bytes need);

/// The evidence that the object's annotations state: "E0"; empty: none.
std::string stated_evidence(const PodRequest& pod);

/// Days from the object's creation to --as-of; nothing where either is not told.
std::optional<double> age_in_days(const Deployment& deployment, const PodRequest& pod);
/// A day as "2026-11-21", also at the head of a time.
std::optional<std::chrono::sys_days> calendar_day(std::string_view text);

}  // namespace gpushape::review
