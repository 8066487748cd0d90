// least-fragmentation: the place that adds least to the GPU capacity which the requests to come
// cannot use. By touch it is the published fragmentation gradient descent; by fill it also counts
// what CPU and memory leave behind.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "place/fragmentation.hpp"
#include "place/host_delta.hpp"
#include "place/host_filters.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {
namespace {

/// A GPU that is in use plays no part in link domains: equal ones give equal answers.
class SeenShares {
 public:
  bool is_new(const GpuStates& states, const HostRow& row, const Option& option) {
    const StateId state = row.gpus[static_cast<std::size_t>(std::countr_zero(option.gpus))];
    if (states.is_empty(state)) return true;
    const std::pair<StateId, int> share = {state, option.start};
    if (std::ranges::find(seen_, share) != seen_.end()) return false;
    seen_.push_back(share);
    return true;
  }

 private:
  std::vector<std::pair<StateId, int>> seen_;
};

HostChoice least(const PolicyQuestion& question, bool by_touch) {
  GpuStates& states = question.snapshot.states();
  const HostRow& row = question.snapshot.row(question.host);
  const HostDelta delta(states, row, question.request, question.distribution);
  const auto metric = [&](const auto& figures) { return by_touch ? figures.touch : figures.fill; };
  const auto after = [&](const Option& option) {
    if (delta.applies()) return metric(delta.after(option));
    const std::vector<StateId> gpus = gpus_after(question.snapshot, row, question.request, option);
    return metric(
        fragmentation_of(states, view_after(row, question.request, gpus), question.distribution));
  };
  const double before = delta.applies()
                            ? metric(delta.before())
                            : metric(fragmentation_of(states, view_of(row), question.distribution));
  HostChoice best;
  bool is_first = true;
  SeenShares seen;
  for (const Option& option : options(question.snapshot, row, question.request)) {
    if (question.request.gpus == 1 && !seen.is_new(states, row, option)) continue;
    const PolicyKey key = {rounded(before - after(option)), 0};
    if (!is_first && key <= best.key) continue;
    best = {.option = option, .key = key};
    is_first = false;
  }
  return best;
}

}  // namespace

HostChoice least_fragmentation_by_touch(const PolicyQuestion& question) {
  return least(question, true);
}

HostChoice least_fragmentation_by_fill(const PolicyQuestion& question) {
  return least(question, false);
}

}  // namespace gpushape::place
