// least-fragmentation: the place that adds least to the GPU capacity which the requests to come
// cannot use. By touch it is the published fragmentation gradient descent; by fill it also counts
// what CPU and memory leave behind.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "place/fragmentation.hpp"
#include "place/host_delta.hpp"
#include "place/host_filters.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {
namespace {

double figure(LossMetric metric, const auto& figures) {
  return metric == LossMetric::Touch ? figures.touch : figures.fill;
}

/// Keeps the first of the options with the largest key.
class Best {
 public:
  void offer(const Option& option, double less) {
    const PolicyKey key = billionths(less);
    if (!is_first_ && key <= choice_.key) return;
    choice_ = {.option = option, .key = key};
    is_first_ = false;
  }
  [[nodiscard]] const HostChoice& choice() const { return choice_; }

 private:
  HostChoice choice_;
  bool is_first_ = true;
};

/// A GPU that is in use plays no part in link domains: equal ones give equal answers.
class SeenStates {
 public:
  bool is_new(StateId state) {
    if (std::find(seen_.begin(), seen_.begin() + count_, state) != seen_.begin() + count_) {
      return false;
    }
    seen_[static_cast<std::size_t>(count_++)] = state;
    return true;
  }

 private:
  std::array<StateId, kMostGpusPerHost> seen_{};
  std::ptrdiff_t count_ = 0;
};

/// The GPUs of a host that differ for one GPU's share: all that are empty, and one of each state.
template <class Visit>
void visit_gpus(const PolicyQuestion& question, const HostRow& row, const Visit& visit) {
  const GpuStates& states = question.snapshot.states();
  SeenStates seen;
  for (GpuSet set = question.serving; set != 0; set &= set - 1) {
    const int gpu = std::countr_zero(set);
    const StateId from = row.gpus[static_cast<std::size_t>(gpu)];
    if (states.is_empty(from) || seen.is_new(from)) visit(gpu, from);
  }
}

/// Where nothing but the GPUs limits what comes later: what a step loses is known by the state.
HostChoice least_of_slack(const PolicyQuestion& question, LossMetric metric, const HostSums& sums) {
  const GpuStates& states = question.snapshot.states();
  const HostRow& row = question.snapshot.row(question.host);
  Best best;
  visit_gpus(question, row, [&](int gpu, StateId from) {
    const Ways& ways = question.offers.ways(from, question.request.shape);
    const BestStep& step = ways.best[static_cast<std::size_t>(metric)];
    const double groups =
        states.is_empty(from) ? lost_groups(question.offers, row, sums, metric, gpu_bit(gpu)) : 0;
    best.offer({.gpus = gpu_bit(gpu), .start = step.start}, -(step.loss + groups));
  });
  return best.choice();
}

HostChoice least_of_uniform(const PolicyQuestion& question, LossMetric metric,
                            const HostSums& sums) {
  const Request& request = question.request;
  const HostRow& row = question.snapshot.row(question.host);
  const bool is_single = request.gpus <= 1 && request.asked.pci_addresses.empty();
  if (is_single && sums.slack[static_cast<std::size_t>(metric)].holds(request)) {
    return least_of_slack(question, metric, sums);
  }
  const HostDelta delta(question.offers, row, sums, request);
  const double before = figure(metric, sums);
  Best best;
  if (!is_single) {
    for (const Option& option : options(question.snapshot, row, request)) {
      best.offer(option, before - delta.after(metric, option));
    }
    return best.choice();
  }
  visit_gpus(question, row, [&](int gpu, StateId from) {
    for (const Step& step : question.offers.ways(from, request.shape).steps) {
      best.offer({.gpus = gpu_bit(gpu), .start = step.start},
                 before - delta.after(metric, gpu, step.to));
    }
  });
  return best.choice();
}

/// Where GPUs of several devices share a host: every option counted in full.
HostChoice least_of_mixed(const PolicyQuestion& question, LossMetric metric) {
  GpuStates& states = question.snapshot.states();
  const HostRow& row = question.snapshot.row(question.host);
  const double before =
      figure(metric, fragmentation_of(states, view_of(row), question.distribution));
  Best best;
  for (const Option& option : options(question.snapshot, row, question.request)) {
    const std::vector<StateId> gpus = gpus_after(question.snapshot, row, question.request, option);
    const double after = figure(
        metric,
        fragmentation_of(states, view_after(row, question.request, gpus), question.distribution));
    best.offer(option, before - after);
  }
  return best.choice();
}

HostChoice least(const PolicyQuestion& question, LossMetric metric) {
  HostSums own;
  if (question.sums == nullptr) {
    sum_up(question.offers, question.snapshot.row(question.host), own);
  }
  const HostSums& sums = question.sums == nullptr ? own : *question.sums;
  return sums.is_uniform ? least_of_uniform(question, metric, sums)
                         : least_of_mixed(question, metric);
}

}  // namespace

HostChoice least_fragmentation_by_touch(const PolicyQuestion& question) {
  return least(question, LossMetric::Touch);
}

HostChoice least_fragmentation_by_fill(const PolicyQuestion& question) {
  return least(question, LossMetric::Fill);
}

}  // namespace gpushape::place
