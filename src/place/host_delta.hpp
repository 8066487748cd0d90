// What each place on one host would change of its fragmentation, at the cost of the GPUs that the
// place touches: the host is summed up once, and every option replaces the terms of its own GPUs.
// The figures are those of fragmentation_of. For hosts whose GPUs are all of one device.
#pragma once

#include <vector>

#include "place/snapshot.hpp"

namespace gpushape::place {

class HostDelta {
 public:
  HostDelta(GpuStates& states, const HostRow& row, const Request& request,
            const Distribution& distribution);

  /// True where the sums stand for the host: all of its GPUs are of one device.
  [[nodiscard]] bool applies() const { return is_uniform_; }

  struct Losses {
    double touch = 0;
    double fill = 0;
  };
  [[nodiscard]] Losses before() const;
  [[nodiscard]] Losses after(const Option& option) const;

 private:
  struct ShapeSum {
    double probability = 0;
    ShapeId shape = 0;
    int gpus = 1;
    bool needs_links = false;
    double share = 0;  ///< GPU capacity of one copy
    std::int64_t slots = 0;
    double used_idle = 0;
    GpuSet serving = 0;            ///< of shapes of several GPUs: the empty GPUs that serve
    std::int64_t most_before = 0;  ///< what CPU and memory allow
    std::int64_t most_after = 0;
  };
  [[nodiscard]] Losses losses(const Option* option) const;
  void count_several(const ShapeSum& sum, GpuSet serving, std::int64_t& slots, GpuSet& used) const;

  GpuStates& states_;
  const HostRow& row_;
  const Request& request_;
  double idle_ = 0;
  bool is_uniform_ = true;
  std::vector<ShapeSum> sums_;
};

}  // namespace gpushape::place
