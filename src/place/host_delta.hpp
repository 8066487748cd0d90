// What each place on one host would change of its fragmentation, at the cost of the GPUs that the
// place touches: the host is summed up once (HostSums), and every option replaces the terms of its
// own GPUs. The figures are those of fragmentation_of. For hosts whose GPUs are all of one device.
#pragma once

#include <array>
#include <vector>

#include "place/offers.hpp"

namespace gpushape::place {

/// The most that a VM may take of a host before CPU or memory limit a shape that its GPUs serve:
/// once more, or as often as the GPUs serve it.
struct Slack {
  double millicores = 0;
  double mhz = 0;
  double memory = 0;

  [[nodiscard]] bool holds(const Request& request) const {
    return static_cast<double>(request.millicores) <= millicores &&
           static_cast<double>(request.reserved_mhz) <= mhz &&
           static_cast<double>(request.memory) <= memory;
  }
};

/// A host that is up, summed up over its GPUs for the shapes of a distribution.
struct HostSums {
  double idle = 0;
  bool is_uniform = true;           ///< all GPUs are of one device; otherwise the rest is empty
  const double* weights = nullptr;  ///< of Offers::weights
  std::vector<float> slots;         ///< by shape of one GPU, before CPU and memory
  std::vector<double> used_idle;    ///< idle capacity of the GPUs that serve the shape
  std::vector<GpuSet> serving;      ///< by shape of several GPUs: the empty GPUs that serve
  std::vector<GroupOffer> groups;   ///< what `serving` offers
  std::array<Slack, 2> slack;       ///< by LossMetric
  double touch = 0;                 ///< the losses as the host stands
  double fill = 0;
};

/// Sums up the host anew; keeps the memory of `sums`.
void sum_up(Offers& offers, const HostRow& row, HostSums& sums);

/// What the shapes of several GPUs lose when an empty GPU is taken, where neither CPU nor memory
/// limit them.
double lost_groups(Offers& offers, const HostRow& row, const HostSums& sums, LossMetric metric,
                   GpuSet taken);

/// The losses of a host after a request, which fits it.
class HostDelta {
 public:
  HostDelta(Offers& offers, const HostRow& row, const HostSums& sums, const Request& request);

  /// With one GPU in another state; `to` is the end of a step.
  [[nodiscard]] double after(LossMetric metric, int gpu, StateId to) const;
  /// With several GPUs, all empty, taken whole.
  [[nodiscard]] double after(LossMetric metric, const Option& option) const;

 private:
  template <class Slots, class Used>
  [[nodiscard]] double singles_gain(LossMetric metric, const Slots& slots, const Used& used) const;
  [[nodiscard]] double groups_gain(LossMetric metric, GpuSet taken) const;

  Offers& offers_;
  const HostRow& row_;
  const HostSums& sums_;
  const Request& request_;
  /// Of every shape, those of several GPUs behind the row of the others: its slots, or what CPU and
  /// memory allow where that is less.
  std::vector<float>& most_;
};

}  // namespace gpushape::place
