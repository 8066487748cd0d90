#include "place/device_choice.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "place/host_filters.hpp"

namespace gpushape::place {

namespace {

bool takes_whole_devices(const PolicyQuestion& question, const HostRow& row) {
  if (question.request.gpus > 1) return true;
  const GpuStates& states = question.snapshot.states();
  for (GpuSet set = question.serving; set != 0; set &= set - 1) {
    const StateId state = row.gpus[static_cast<std::size_t>(std::countr_zero(set))];
    if (states.is_whole(state, question.request.shape)) return true;
  }
  return false;
}

/// Whether `a` destroys fewer of the domains that are still free than `b`: of the largest size, or
/// as many of those and fewer of the next, and so on.
bool destroys_less(const HostRow& row, GpuSet a, GpuSet b) {
  int size = 0;
  int difference = 0;  // of the domains of one size; those of a row are sorted by it
  for (const GpuSet domain : row.domains) {
    if ((domain & ~row.free) != 0) continue;
    const int own = std::popcount(domain);
    if (own != size && difference != 0) break;
    size = own;
    difference += static_cast<int>((domain & a) != 0) - static_cast<int>((domain & b) != 0);
  }
  return difference < 0;
}

/// The GPU of a time-sliced or MIG share. The first of equal ones is the lowest.
std::size_t gpu_for_share(const PolicyQuestion& question, const HostRow& row,
                          Assignment assignment) {
  const GpuStates& states = question.snapshot.states();
  const domain::GpuUse use = states.shape(question.request.shape).use;
  const auto preference = [&](StateId state) {
    if (use == domain::GpuUse::TimeSliced && states.is_same_size(state)) {
      const auto vms = static_cast<double>(states.allocations(state));
      return assignment == Assignment::MostVms ? vms : -vms;
    }
    return use == domain::GpuUse::Mig ? -states.idle(state) : states.idle(state);
  };
  auto best = static_cast<std::size_t>(std::countr_zero(question.serving));
  double most = preference(row.gpus[best]);
  for (GpuSet set = question.serving & (question.serving - 1); set != 0; set &= set - 1) {
    const auto gpu = static_cast<std::size_t>(std::countr_zero(set));
    const double own = preference(row.gpus[gpu]);
    if (own <= most) continue;
    best = gpu;
    most = own;
  }
  return best;
}

}  // namespace

Option least_destructive(const HostRow& row, std::span<const Option> options) {
  return *std::ranges::min_element(options, [&](const Option& a, const Option& b) {
    return destroys_less(row, a.gpus, b.gpus);
  });
}

DeviceChoice choose_device(const PolicyQuestion& question, Assignment assignment) {
  const HostRow& row = question.snapshot.row(question.host);
  if (takes_whole_devices(question, row)) {
    if (question.request.gpus > 1) {
      return {.option = least_destructive(row, options(question.snapshot, row, question.request)),
              .is_whole = true};
    }
    GpuSet best = question.serving & (~question.serving + 1);
    for (GpuSet set = question.serving & (question.serving - 1); set != 0; set &= set - 1) {
      const GpuSet gpu = set & (~set + 1);
      if (destroys_less(row, gpu, best)) best = gpu;
    }
    const StateId state = row.gpus[static_cast<std::size_t>(std::countr_zero(best))];
    const auto& starts = question.snapshot.states().fit(state, question.request.shape).starts;
    return {.option = {.gpus = best, .start = starts.front()}, .is_whole = true};
  }
  const std::size_t gpu = gpu_for_share(question, row, assignment);
  return {.option = {.gpus = gpu_bit(static_cast<int>(gpu)),
                     .start = question.offers.best_start(row.gpus[gpu], question.request.shape)}};
}

}  // namespace gpushape::place
