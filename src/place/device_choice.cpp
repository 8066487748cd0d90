#include "place/device_choice.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "place/fragmentation.hpp"
#include "place/gpu_filters.hpp"
#include "place/host_filters.hpp"

namespace gpushape::place {

using domain::GpuMode;

namespace {

/// Positions of the GPUs that serve a request for one GPU.
std::vector<std::size_t> serving(const PolicyQuestion& question) {
  std::vector<std::size_t> gpus;
  for (const int gpu : gpus_of(
           candidates(question.snapshot, question.snapshot.row(question.host), question.request))) {
    gpus.push_back(static_cast<std::size_t>(gpu));
  }
  return gpus;
}

/// What a GPU still offers to the one-GPU shapes of the distribution, in expected GPU share.
double expected_share(GpuStates& states, StateId state, const Distribution& distribution) {
  double sum = 0;
  for (const WeighedRequest& row : distribution) {
    if (row.request.gpus > 1) continue;
    const GpuFit& fit = states.fit(state, row.request.shape);
    sum += row.probability * fit.slots * fit.share;
  }
  return rounded(sum);
}

/// The start that leaves most; the lowest of equal ones.
int best_start(const PolicyQuestion& question, StateId state) {
  GpuStates& states = question.snapshot.states();
  const std::vector<int> starts = states.fit(state, question.request.shape).starts;
  return *std::ranges::max_element(starts, {}, [&](int start) {
    return expected_share(states, states.after(state, question.request.shape, start),
                          question.distribution);
  });
}

}  // namespace

bool takes_whole_devices(const PolicyQuestion& question) {
  if (question.request.gpus > 1) return true;
  GpuStates& states = question.snapshot.states();
  return std::ranges::any_of(question.snapshot.row(question.host).gpus, [&](StateId state) {
    const GpuFit& fit = states.fit(state, question.request.shape);
    return fit.serves() && fit.is_whole;
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
  const std::vector<std::size_t> gpus = serving(question);
  const domain::GpuUse use = states.shape(question.request.shape).use;
  // Larger is better; the first of equal GPUs is the lowest.
  const auto preference = [&](std::size_t gpu) {
    const StateId state = row.gpus[gpu];
    if (serving_mode(states.state(state), use) == GpuMode::SameSize) {
      const auto vms = static_cast<double>(states.allocations(state));
      return assignment == Assignment::MostVms ? vms : -vms;
    }
    return use == domain::GpuUse::Mig ? -states.idle(state) : states.idle(state);
  };
  const std::size_t gpu = *std::ranges::max_element(gpus, {}, preference);
  return {.gpus = gpu_bit(static_cast<int>(gpu)), .start = best_start(question, row.gpus[gpu])};
}

}  // namespace gpushape::place
