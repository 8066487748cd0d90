#include "place/device_choice.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "place/fragmentation.hpp"
#include "place/host_filters.hpp"

namespace gpushape::place {

bool takes_whole_devices(const PolicyQuestion& question) {
  if (question.request.gpus > 1) return true;
  GpuStates& states = question.snapshot.states();
  return std::ranges::any_of(question.snapshot.row(question.host).gpus, [&](StateId state) {
    return states.slots(state, question.request.shape) > 0 &&
           states.is_whole(state, question.request.shape);
  });
}

Option least_destructive(const Snapshot& snapshot, const HostRow& row,
                         std::span<const Option> options) {
  GpuSet free = 0;
  for (std::size_t i = 0; i < row.gpus.size(); ++i) {
    if (snapshot.states().is_free(row.gpus[i])) free |= gpu_bit(static_cast<int>(i));
  }
  std::vector<GpuSet> standing;  // largest first, as the row holds them
  std::ranges::copy_if(row.domains, std::back_inserter(standing),
                       [&](GpuSet domain) { return (domain & ~free) == 0; });
  // The first of two domains of different size decides, so the counts compare as a list.
  const auto destroyed = [&](const Option& option) {
    std::vector<int> by_size;
    int size = 0;
    for (const GpuSet domain : standing) {
      if (std::popcount(domain) != size) {
        size = std::popcount(domain);
        by_size.push_back(0);
      }
      if ((domain & option.gpus) != 0) ++by_size.back();
    }
    return by_size;
  };
  return *std::ranges::min_element(options, {}, destroyed);
}

Option choose_device(const PolicyQuestion& question, Assignment assignment) {
  const HostRow& row = question.snapshot.row(question.host);
  GpuStates& states = question.snapshot.states();
  if (takes_whole_devices(question)) {
    return least_destructive(question.snapshot, row,
                             options(question.snapshot, row, question.request));
  }
  const domain::GpuUse use = states.shape(question.request.shape).use;
  const auto preference = [&](StateId state) {
    if (use == domain::GpuUse::TimeSliced && states.is_same_size(state)) {
      const auto vms = static_cast<double>(states.allocations(state));
      return assignment == Assignment::MostVms ? vms : -vms;
    }
    return use == domain::GpuUse::Mig ? -states.idle(state) : states.idle(state);
  };
  // Larger is better; the first of equal GPUs is the lowest.
  std::optional<std::size_t> best;
  double best_preference = 0;
  for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
    if (states.slots(row.gpus[gpu], question.request.shape) == 0) continue;
    const double own = preference(row.gpus[gpu]);
    if (best && own <= best_preference) continue;
    best = gpu;
    best_preference = own;
  }
  return {.gpus = gpu_bit(static_cast<int>(*best)),
          .start = question.offers.best_start(row.gpus[*best], question.request.shape)};
}

}  // namespace gpushape::place
