#include "place/host_delta.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace gpushape::place {

namespace {

/// CPU and memory of a host that VMs may still reserve.
struct FreeAmounts {
  double millicores = 0;
  double mhz = std::numeric_limits<double>::infinity();  ///< where counted
  double memory = 0;
};

/// Of the host, without what a request takes.
FreeAmounts free_without(const HostRow& row, std::int64_t millicores, std::int64_t mhz,
                         std::int64_t memory) {
  const auto left = [](std::int64_t free, std::int64_t wanted) {
    return static_cast<double>(std::max<std::int64_t>(free - wanted, 0));
  };
  FreeAmounts free{.millicores = left(row.free_millicores, millicores),
                   .memory = left(row.free_memory, memory)};
  if (row.mhz) free.mhz = left(row.free_mhz, mhz);
  return free;
}

/// `slots`, or the copies that CPU and memory allow where they are fewer. Divides only where one of
/// them binds; the amounts are whole numbers below 2^50, so that the quotients are exact.
double limited(const ExpectedShape& shape, const FreeAmounts& free, double slots) {
  double most = slots;
  const auto bind = [&](double wanted, double found) {
    if (slots * wanted > found) most = std::min(most, std::floor(found / wanted));
  };
  bind(shape.millicores, free.millicores);
  bind(shape.mhz, free.mhz);
  bind(shape.memory, free.memory);
  return most;
}

/// `limited` for every shape, those of several GPUs behind the row of the others.
void limit_all(const Offers& offers, const HostSums& sums, const FreeAmounts& free,
               std::vector<float>& most) {
  const auto singles = offers.singles();
  const auto groups = offers.groups();
  most.assign(offers.width() + groups.size(), 0);
  for (std::size_t i = 0; i < singles.size(); ++i) {
    const double slots = sums.slots[i];
    if (slots > 0) most[i] = static_cast<float>(limited(singles[i], free, slots));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int slots = sums.groups[i].slots;
    if (slots > 0) most[offers.width() + i] = static_cast<float>(limited(groups[i], free, slots));
  }
}

/// Sum of probability times the idle capacity of the GPUs that serve, over the shapes that fit.
double reachable(const Offers& offers, const HostSums& sums, const std::vector<float>& most) {
  double sum = 0;
  for (std::size_t i = 0; i < offers.singles().size(); ++i) {
    if (most[i] > 0) sum += offers.probabilities()[i] * sums.used_idle[i];
  }
  return sum;
}

double filled(const Offers& offers, const HostSums& sums, const std::vector<float>& most) {
  double sum = 0;
  for (std::size_t i = 0; i < offers.singles().size(); ++i) {
    sum += sums.weights[i] * static_cast<double>(most[i]);
  }
  return sum;
}

/// What of the host a VM may take so that every shape with slots is still served `often` times.
template <class Often>
Slack slack_of(const Offers& offers, const HostRow& row, const HostSums& sums, const Often& often) {
  const FreeAmounts free = free_without(row, 0, 0, 0);
  Slack slack{.millicores = free.millicores, .mhz = free.mhz, .memory = free.memory};
  const auto leave = [&](const ExpectedShape& shape, double slots) {
    if (slots <= 0) return;
    const double times = often(slots);
    slack.millicores = std::min(slack.millicores, free.millicores - times * shape.millicores);
    slack.mhz = std::min(slack.mhz, free.mhz - times * shape.mhz);
    slack.memory = std::min(slack.memory, free.memory - times * shape.memory);
  };
  for (std::size_t i = 0; i < offers.singles().size(); ++i) {
    leave(offers.singles()[i], sums.slots[i]);
  }
  for (std::size_t i = 0; i < offers.groups().size(); ++i) {
    leave(offers.groups()[i], sums.groups[i].slots);
  }
  return slack;
}

}  // namespace

void sum_up(Offers& offers, const HostRow& row, HostSums& sums) {
  GpuStates& states = offers.states();
  sums.idle = 0;
  sums.is_uniform = true;
  for (const StateId state : row.gpus) {
    sums.idle += states.idle(state);
    sums.is_uniform =
        sums.is_uniform && states.device_of(state) == states.device_of(row.gpus.front());
    offers.learn(state);
  }
  sums.is_uniform = sums.is_uniform && !row.gpus.empty();
  if (!sums.is_uniform) return;
  const std::size_t singles = offers.singles().size();
  const auto groups = offers.groups();
  sums.weights = offers.weights(states.device_of(row.gpus.front()));
  sums.slots.assign(offers.width(), 0);
  sums.used_idle.assign(offers.width(), 0);
  sums.serving.assign(groups.size(), 0);
  for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
    const StateId state = row.gpus[gpu];
    const double idle = states.idle(state);
    if (idle <= 0) continue;
    const float* slots = offers.slots(state);
    for (std::size_t i = 0; i < singles; ++i) {
      sums.slots[i] += slots[i];
      sums.used_idle[i] += slots[i] > 0 ? idle : 0;
    }
    if (!states.is_empty(state)) continue;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (states.slots(state, groups[i].shape) > 0) {
        sums.serving[i] |= gpu_bit(static_cast<int>(gpu));
      }
    }
  }
  sums.groups.resize(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sums.groups[i] = offers.group(row, i, sums.serving[i]);
  }
  sums.slack = {slack_of(offers, row, sums, [](double) { return 1.0; }),
                slack_of(offers, row, sums, [](double slots) { return slots; })};
  std::vector<float>& most = offers.scratch();
  limit_all(offers, sums, free_without(row, 0, 0, 0), most);
  sums.touch = offers.probability() * sums.idle - reachable(offers, sums, most);
  sums.fill = offers.probability() * sums.idle - filled(offers, sums, most);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto slots = static_cast<double>(most[offers.width() + i]);
    if (slots <= 0) continue;
    sums.touch -= groups[i].probability * sums.groups[i].gpus_used;
    sums.fill -= groups[i].probability * groups[i].gpus * slots;
  }
}

double lost_groups(Offers& offers, const HostRow& row, const HostSums& sums, LossMetric metric,
                   GpuSet taken) {
  const auto groups = offers.groups();
  double lost = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if ((sums.serving[i] & taken) == 0 || sums.groups[i].slots == 0) continue;
    const GroupOffer left = offers.group(row, i, sums.serving[i] & ~taken);
    // No slots, no use: an offer without a whole group uses no GPU.
    lost += groups[i].probability * (metric == LossMetric::Touch
                                         ? sums.groups[i].gpus_used - left.gpus_used
                                         : (sums.groups[i].slots - left.slots) * groups[i].gpus);
  }
  return lost;
}

HostDelta::HostDelta(Offers& offers, const HostRow& row, const HostSums& sums,
                     const Request& request)
    : offers_(offers), row_(row), sums_(sums), request_(request), most_(offers.scratch()) {
  limit_all(offers, sums,
            free_without(row, request.millicores, request.reserved_mhz, request.memory), most_);
}

double HostDelta::groups_gain(LossMetric metric, GpuSet taken) const {
  const auto groups = offers_.groups();
  double gain = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto most = static_cast<double>(most_[offers_.width() + i]);
    if (most <= 0) continue;
    const GroupOffer offer = offers_.group(row_, i, sums_.serving[i] & ~taken);
    const double slots = std::min(static_cast<double>(offer.slots), most);
    if (slots <= 0) continue;
    gain += groups[i].probability *
            (metric == LossMetric::Touch ? offer.gpus_used : slots * groups[i].gpus);
  }
  return gain;
}

template <class Slots, class Used>
double HostDelta::singles_gain(LossMetric metric, const Slots& slots, const Used& used) const {
  // Independent sums: the additions of one need not wait for those of the others.
  std::array<double, Offers::kLanes> sums{};
  const std::size_t width = offers_.width();
  const float* most = most_.data();
  if (metric == LossMetric::Fill) {
    const double* weights = sums_.weights;
    for (std::size_t i = 0; i < width; i += Offers::kLanes) {
      for (std::size_t k = 0; k < Offers::kLanes; ++k) {
        sums[k] += weights[i + k] * static_cast<double>(std::min(slots(i + k), most[i + k]));
      }
    }
  } else {
    const double* probabilities = offers_.probabilities();
    for (std::size_t i = 0; i < width; i += Offers::kLanes) {
      for (std::size_t k = 0; k < Offers::kLanes; ++k) {
        const bool fits = std::min(slots(i + k), most[i + k]) > 0;
        sums[k] += fits ? probabilities[i + k] * used(i + k) : 0;
      }
    }
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double HostDelta::after(LossMetric metric, int gpu, StateId to) const {
  GpuStates& states = offers_.states();
  const StateId from = row_.gpus[static_cast<std::size_t>(gpu)];
  const float* before = offers_.slots(from);
  const float* then = offers_.slots(to);
  const double idle_before = states.idle(from);
  const double idle_then = states.idle(to);
  const double gain = singles_gain(
      metric, [&](std::size_t i) { return sums_.slots[i] + then[i] - before[i]; },
      [&](std::size_t i) {
        return sums_.used_idle[i] - (before[i] > 0 ? idle_before : 0) +
               (then[i] > 0 ? idle_then : 0);
      });
  return offers_.probability() * (sums_.idle + (idle_then - idle_before)) - gain -
         groups_gain(metric, states.is_empty(from) ? gpu_bit(gpu) : 0);
}

double HostDelta::after(LossMetric metric, const Option& option) const {
  GpuStates& states = offers_.states();
  std::vector<float> slots = sums_.slots;
  std::vector<double> used = sums_.used_idle;
  double idle = sums_.idle;
  for (GpuSet set = option.gpus; set != 0; set &= set - 1) {
    const StateId from = row_.gpus[static_cast<std::size_t>(std::countr_zero(set))];
    const StateId to = states.after(from, request_.shape, option.start);
    offers_.learn(to);
    const float* before = offers_.slots(from);
    const float* then = offers_.slots(to);
    idle += states.idle(to) - states.idle(from);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i] += then[i] - before[i];
      used[i] += (then[i] > 0 ? states.idle(to) : 0) - (before[i] > 0 ? states.idle(from) : 0);
    }
  }
  const double gain = singles_gain(
      metric, [&](std::size_t i) { return slots[i]; }, [&](std::size_t i) { return used[i]; });
  return offers_.probability() * idle - gain - groups_gain(metric, option.gpus);
}

}  // namespace gpushape::place
