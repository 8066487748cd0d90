// How much of the idle GPU capacity cannot serve what will be asked for next.
//
// For one shape: `slots` is how often it fits a host at once; `touch` is what stays idle on GPUs
// that no legal placement of the shape uses (Q. Weng et al., "Beware of Fragmentation", USENIX ATC
// 2023, carried over to modes, starts and link domains); `fill` is what stays idle after filling
// the host with the shape. 0 <= touch <= fill <= idle. Capacity is counted in GPUs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "place/snapshot.hpp"

namespace gpushape::place {

struct ShapeFragmentation {
  std::int64_t slots = 0;
  double touch = 0;
  double fill = 0;
  GpuSet used = 0;  ///< GPUs that some legal placement uses; none where there are no slots

  bool operator==(const ShapeFragmentation&) const = default;
};

/// What is left of a host: its GPUs, links and free amounts.
struct HostView {
  bool is_up = false;
  std::int64_t free_millicores = 0;
  std::optional<std::int64_t> free_mhz;  ///< absent: not counted
  std::int64_t free_memory = 0;
  std::span<const StateId> gpus;
  std::span<const GpuSet> domains;
};

HostView view_of(const HostRow& row);
/// The host after a placement, whose GPUs are then `gpus`; views the row's links.
HostView view_after(const HostRow& row, const Request& request, std::span<const StateId> gpus);

/// Free GPUs of a host, 0 where it is not up.
double idle_of(GpuStates& states, const HostView& host);

ShapeFragmentation fragmentation_of(GpuStates& states, const HostView& host,
                                    const Request& request);

struct Fragmentation {
  double idle = 0;
  double touch = 0;  ///< expected over the distribution
  double fill = 0;
  std::vector<ShapeFragmentation> shapes;  ///< in the order of the distribution

  Fragmentation& operator+=(const Fragmentation& other);
};

Fragmentation fragmentation_of(GpuStates& states, const HostView& host,
                               const Distribution& distribution);
/// Of the whole cluster.
Fragmentation fragmentation_of(const Snapshot& snapshot, const Distribution& distribution);

/// To nine decimals, as every comparison of figures is made.
double rounded(double value);

/// The largest number of disjoint sets among `sets`. Exact where they nest, as the partitions of a
/// board do; with other sets exact within a bound of steps, a lower bound beyond it.
int most_disjoint(std::span<const GpuSet> sets);

}  // namespace gpushape::place
