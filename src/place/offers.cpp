#include "place/offers.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "place/fragmentation.hpp"

namespace gpushape::place {

namespace {

/// Boards of up to so many GPUs have a table of all sets; answers about larger ones are searched.
constexpr std::size_t kMostTabled = 12;

constexpr float kNotLearned = -1;

ExpectedShape expected_shape(const WeighedRequest& row) {
  return {.probability = row.probability,
          .shape = row.request.shape,
          .gpus = row.request.gpus,
          .needs_links = row.request.needs_links,
          .millicores = static_cast<double>(std::max<std::int64_t>(row.request.millicores, 0)),
          .mhz = static_cast<double>(std::max<std::int64_t>(row.request.reserved_mhz, 0)),
          .memory = static_cast<double>(std::max<std::int64_t>(row.request.memory, 0))};
}

}  // namespace

Offers::Offers(GpuStates& states, const Distribution& distribution) : states_(states) {
  for (const WeighedRequest& row : distribution) {
    (row.request.gpus > 1 ? groups_ : singles_).push_back(expected_shape(row));
    probability_ += row.probability;
  }
  width_ = std::max<std::size_t>((singles_.size() + kLanes - 1) / kLanes, 1) * kLanes;
  probabilities_.resize(width_);
  std::ranges::transform(singles_, probabilities_.begin(), &ExpectedShape::probability);
}

void Offers::learn(StateId state) {
  if (slots_.size() < (state + 1) * width_) slots_.resize(states_.size() * width_, kNotLearned);
  float* row = &slots_[state * width_];
  if (row[0] >= 0) return;
  std::fill_n(row, width_, 0.0F);
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    row[i] = static_cast<float>(states_.slots(state, singles_[i].shape));
  }
}

const double* Offers::weights(int device) {
  const auto position = static_cast<std::size_t>(device);
  if (weights_.size() <= position) weights_.resize(position + 1);
  std::vector<double>& row = weights_[position];
  if (row.empty()) {
    row.resize(width_);
    const DeviceGeometry& geometry = states_.devices()[position];
    for (std::size_t i = 0; i < singles_.size(); ++i) {
      const GpuShape& shape = states_.shape(singles_[i].shape);
      const int profile = geometry.find(shape.use, shape.profile);
      const bool is_share = shape.use != domain::GpuUse::Passthrough && profile >= 0;
      row[i] =
          singles_[i].probability *
          (is_share ? geometry.share(geometry.profiles[static_cast<std::size_t>(profile)]) : 1.0);
    }
  }
  return row.data();
}

std::size_t Offers::widen_cells(StateId state, ShapeId shape) {
  if (shape >= cells_stride_) {
    // Seldom: a shape beyond those known so far. What was learned is learned again.
    cells_stride_ = std::bit_ceil<std::size_t>(shape + 1);
    step_cells_.clear();
    start_cells_.clear();
    ways_.clear();
  }
  const std::size_t cell = state * cells_stride_ + shape;
  if (cell >= step_cells_.size()) {
    const std::size_t size = (std::max<std::size_t>(states_.size(), state + 1)) * cells_stride_;
    step_cells_.resize(size, -1);
    start_cells_.resize(size, -1);
  }
  return cell;
}

const Ways& Offers::learn_ways(std::size_t cell, StateId from, ShapeId shape) {
  Ways ways{.steps = steps_of(from, shape), .best = {}};
  for (const LossMetric metric : {LossMetric::Touch, LossMetric::Fill}) {
    BestStep& best = ways.best[static_cast<std::size_t>(metric)];
    for (const Step& step : ways.steps) {
      const double own = loss(metric, from, step.to);
      if (&step != &ways.steps.front() && rounded(own) >= rounded(best.loss)) continue;
      best = {.start = step.start, .loss = own};
    }
  }
  step_cells_[cell] = static_cast<std::int32_t>(ways_.size());
  return ways_.emplace_back(std::move(ways));
}

double Offers::loss(LossMetric metric, StateId from, StateId to) {
  learn(from);
  learn(to);
  const double* weights_of_device = weights(states_.device_of(from));
  const float* before = slots(from);
  const float* then = slots(to);
  double sum = probability_ * (states_.idle(to) - states_.idle(from));
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    if (metric == LossMetric::Fill) {
      sum += weights_of_device[i] * static_cast<double>(before[i] - then[i]);
    } else {
      sum += probabilities_[i] *
             ((before[i] > 0 ? states_.idle(from) : 0) - (then[i] > 0 ? states_.idle(to) : 0));
    }
  }
  return sum;
}

std::vector<Step> Offers::steps_of(StateId from, ShapeId shape) {
  std::vector<Step> kept;
  const std::vector<int> starts = states_.fit(from, shape).starts;
  for (const int start : starts) {
    const StateId to = states_.after(from, shape, start);
    learn(to);
    const float* mine = slots(to);
    const bool is_worse = std::ranges::any_of(kept, [&](const Step& step) {
      return std::equal(mine, mine + width_, slots(step.to),
                        [](float here, float there) { return here <= there; });
    });
    if (!is_worse) kept.push_back({.start = start, .to = to});
  }
  return kept;
}

double Offers::expected_share(StateId state) {
  double sum = 0;
  for (const ExpectedShape& single : singles_) {
    const GpuFit& fit = states_.fit(state, single.shape);
    sum += single.probability * fit.slots * fit.share;
  }
  return rounded(sum);
}

int Offers::best_start(StateId from, ShapeId shape) {
  const std::size_t at = cell(from, shape);
  if (start_cells_[at] < 0) {
    const std::vector<int> starts = states_.fit(from, shape).starts;
    start_cells_[at] = *std::ranges::max_element(
        starts, {}, [&](int start) { return expected_share(states_.after(from, shape, start)); });
  }
  return start_cells_[at];
}

GroupOffer Offers::group(const HostRow& row, std::size_t index, GpuSet serving) {
  if (row.gpus.size() > kMostTabled) return group_of(row, groups_[index], serving);
  const std::size_t at = row.layout * groups_.size() + index;
  if (at >= group_index_.size()) group_index_.resize((row.layout + 1) * groups_.size());
  if (group_index_[at] == nullptr) {
    group_index_[at] = &group_tables_[{row.layout, index}];
    group_index_[at]->resize(std::size_t{1} << row.gpus.size());
  }
  GroupOffer& offer = (*group_index_[at])[serving];
  if (offer.slots < 0) offer = group_of(row, groups_[index], serving);
  return offer;
}

GroupOffer Offers::group_of(const HostRow& row, const ExpectedShape& shape, GpuSet serving) const {
  if (!shape.needs_links) {
    const int count = std::popcount(serving);
    return {.slots = count / shape.gpus, .gpus_used = count >= shape.gpus ? count : 0};
  }
  std::vector<GpuSet> whole;
  GpuSet used = 0;
  for (const GpuSet domain : row.domains) {
    if ((domain & ~serving) != 0 || std::popcount(domain) != shape.gpus) continue;
    used |= domain;
    whole.push_back(domain);
  }
  return {.slots = most_disjoint(whole), .gpus_used = std::popcount(used)};
}

}  // namespace gpushape::place
