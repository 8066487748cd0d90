// What telemetry (--usage) tells of a pod: how busy its GPUs were, and for how long nothing ran.
// Series name their holder as "namespace/pod"; a controller's pods begin with its name.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "review/deployment.hpp"

namespace gpushape::review {

struct MeasuredUse {
  std::string holder;                  ///< one of them, as telemetry names it
  double days = 0;                     ///< that the samples cover
  std::optional<double> compute;       ///< mean share of time, 0 to 1, of the busiest GPU
  std::optional<Bytes> most_bytes;     ///< on the GPU that held most
  std::optional<double> silent_hours;  ///< without any kernel, up to the last sample
  std::optional<double> low_hours;     ///< below the threshold lowCompute, up to the last sample
};

/// Nothing where telemetry does not name the pod.
std::optional<MeasuredUse> measured_use(const Deployment& deployment, const PodRequest& pod);

/// "3.5 days", "7 hours"
std::string days_text(double days);

}  // namespace gpushape::review
