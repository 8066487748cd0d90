// least-fragmentation: the place that adds least to the GPU capacity which the requests to come
// cannot use. By touch it is the published fragmentation gradient descent; by fill it also counts
// what CPU and memory leave behind.
#include "place/fragmentation.hpp"
#include "place/host_filters.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {
namespace {

HostChoice least(const PolicyQuestion& question, double Fragmentation::* metric) {
  GpuStates& states = question.snapshot.states();
  const HostRow& row = question.snapshot.row(question.host);
  const double before = fragmentation_of(states, view_of(row), question.distribution).*metric;
  HostChoice best;
  bool is_first = true;
  for (const Option& option : options(question.snapshot, row, question.request)) {
    const std::vector<StateId> gpus = gpus_after(question.snapshot, row, question.request, option);
    const double after =
        fragmentation_of(states, view_after(row, question.request, gpus), question.distribution).*
        metric;
    const PolicyKey key = {rounded(before - after), 0};
    if (!is_first && key <= best.key) continue;
    best = {.option = option, .key = key};
    is_first = false;
  }
  return best;
}

}  // namespace

HostChoice least_fragmentation_by_touch(const PolicyQuestion& question) {
  return least(question, &Fragmentation::touch);
}

HostChoice least_fragmentation_by_fill(const PolicyQuestion& question) {
  return least(question, &Fragmentation::fill);
}

}  // namespace gpushape::place
