// What the states of GPUs offer to the shapes of one distribution, learned once for each state: how
// often every shape fits it, which starts differ in what they leave, and what groups of GPUs a
// board still has. Policies read these rows instead of asking the geometry again.
//
// Belongs to one table of GPU states and one distribution; grows as states appear.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "place/snapshot.hpp"

namespace gpushape::place {

/// One way to take a share of a GPU: where it starts, and the state of the GPU afterwards.
struct Step {
  int start = 0;
  StateId to = 0;
};

/// By which loss of capacity steps are compared: fragmentation by touch, or by fill.
enum class LossMetric { Touch, Fill };

/// The first of the steps that lose least, where neither CPU nor memory of the host limits a shape.
struct BestStep {
  int start = 0;
  double loss = 0;  ///< that shapes of one GPU lose, less the capacity that is taken
};

/// How a share can be taken from a GPU.
struct Ways {
  std::vector<Step> steps;
  std::array<BestStep, 2> best;  ///< by LossMetric
};

/// A shape of the distribution in the figures that a sum over hosts needs.
struct ExpectedShape {
  double probability = 0;
  ShapeId shape = 0;
  int gpus = 1;
  bool needs_links = false;
  double millicores = 0;
  double mhz = 0;
  double memory = 0;
};

/// How often a shape of several GPUs fits, and the GPUs that some placement of it uses.
struct GroupOffer {
  std::int32_t slots = -1;
  std::int32_t gpus_used = 0;
};

class Offers {
 public:
  Offers(GpuStates& states, const Distribution& distribution);

  [[nodiscard]] GpuStates& states() const { return states_; }
  /// Shapes of one GPU, and of several.
  [[nodiscard]] std::span<const ExpectedShape> singles() const { return singles_; }
  [[nodiscard]] std::span<const ExpectedShape> groups() const { return groups_; }
  [[nodiscard]] double probability() const { return probability_; }

  /// Rows of slots are this long: the shapes of one GPU, filled up with zeros.
  static constexpr std::size_t kLanes = 4;
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Slots of each shape of one GPU. Learned before: by `learn`, or as the end of a step.
  [[nodiscard]] const float* slots(StateId state) const { return &slots_[state * width_]; }
  void learn(StateId state);
  /// Probability times GPU capacity of one copy, by shape of one GPU.
  const double* weights(int device);
  [[nodiscard]] const double* probabilities() const { return probabilities_.data(); }

  /// The steps that differ in what they leave, by ascending start: none that an earlier one is at
  /// least as good as for every shape. The state serves the shape.
  const Ways& ways(StateId from, ShapeId shape) {
    const std::size_t at = cell(from, shape);
    const std::int32_t known = step_cells_[at];
    return known >= 0 ? ways_[static_cast<std::size_t>(known)] : learn_ways(at, from, shape);
  }
  /// The start that leaves the largest expected GPU share to the shapes of one GPU; the lowest of
  /// equal ones. The state serves the shape.
  int best_start(StateId from, ShapeId shape);
  /// What the GPUs in `serving`, all empty, offer a shape of `groups()`.
  GroupOffer group(const HostRow& row, std::size_t index, GpuSet serving);
  /// Room for one decision's figures, so that none is allocated for each.
  [[nodiscard]] std::vector<float>& scratch() { return scratch_; }

 private:
  [[nodiscard]] std::size_t cell(StateId state, ShapeId shape) {
    const std::size_t at = state * cells_stride_ + shape;
    return shape < cells_stride_ && at < step_cells_.size() ? at : widen_cells(state, shape);
  }
  std::size_t widen_cells(StateId state, ShapeId shape);
  const Ways& learn_ways(std::size_t cell, StateId from, ShapeId shape);
  [[nodiscard]] std::vector<Step> steps_of(StateId from, ShapeId shape);
  [[nodiscard]] double loss(LossMetric metric, StateId from, StateId to);
  [[nodiscard]] double expected_share(StateId state);
  [[nodiscard]] GroupOffer group_of(const HostRow& row, const ExpectedShape& shape,
                                    GpuSet serving) const;

  GpuStates& states_;
  std::vector<ExpectedShape> singles_;
  std::vector<ExpectedShape> groups_;
  std::vector<double> probabilities_;
  double probability_ = 0;
  std::size_t width_ = 0;
  std::vector<float> slots_;  ///< `width_` for each state; the first below 0: not learned
  std::vector<std::vector<double>> weights_;  ///< by device
  std::vector<std::int32_t> step_cells_;      ///< by state and shape; -1: not asked yet
  std::vector<std::int32_t> start_cells_;     ///< likewise
  std::size_t cells_stride_ = 0;
  std::deque<Ways> ways_;
  /// By layout of links and shape of several GPUs: an answer for every set of GPUs.
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<GroupOffer>> group_tables_;
  std::vector<std::vector<GroupOffer>*> group_index_;  ///< by layout times shapes, then shape
  std::vector<float> scratch_;
};

}  // namespace gpushape::place
