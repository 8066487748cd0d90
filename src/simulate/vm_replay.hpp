// A trace of VMs replayed under one policy, and what came of it over time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "domain/trace.hpp"
#include "place/policies.hpp"
#include "place/snapshot.hpp"

namespace gpushape::simulate {

/// The state at one moment, after what happened there.
struct ReplayPoint {
  double seconds = 0;
  double idle = 0;  ///< GPUs
  double touch = 0;
  double fill = 0;
  std::int64_t placed = 0;  ///< so far
  std::int64_t rejected = 0;
};

/// Points that are kept: enough for a chart, few enough for any trace.
inline constexpr std::size_t kMostPoints = 480;

struct VmReplay {
  std::string policy;
  std::int64_t arrived = 0;
  std::int64_t placed = 0;
  std::int64_t rejected = 0;
  std::map<domain::Refusal, std::int64_t> rejected_by;
  double accepted_gpu_share = 0;       ///< of the GPU capacity asked for
  double accepted_gpu_time_share = 0;  ///< the same, each VM weighed by its life
  double mean_idle = 0;                ///< GPUs, mean over time
  double mean_touch = 0;
  double mean_fill = 0;
  /// Rejections that a different earlier choice would have avoided: what ran then and the request
  /// find a place together in another arrangement.
  std::int64_t avoidable = 0;
  /// Rejections although GPUs, CPU and memory were free in total, with no arrangement found.
  std::int64_t perhaps_avoidable = 0;
  std::vector<ReplayPoint> points;  ///< in order of time, at most kMostPoints
};

/// The distribution that policies weigh is that of the trace itself.
VmReplay replay_vms(place::Snapshot snapshot, const domain::Trace& trace,
                    const place::PolicyRow& policy);

/// Requests of a trace by their share of the arrivals.
std::vector<std::pair<double, domain::PlacementRequest>> distribution_of(
    const domain::Trace& trace);

}  // namespace gpushape::simulate
