#include "place/policies.hpp"

#include <algorithm>

#include "place/host_filters.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {

namespace {

constexpr auto kPolicies = std::to_array<PolicyRow>({
    {"best-performance", "the host with the highest goodness, the GPU with the fewest VMs",
     best_performance, "highest goodness", "fewest VMs on the GPU"},
    {"consolidation", "whole devices on the fullest host, shares on the fullest GPU", consolidation,
     "fewest empty GPUs for whole devices, then highest goodness", "most VMs on the GPU"},
    {"least-fragmentation-touch", "least idle capacity on GPUs that no later request can use",
     least_fragmentation_by_touch, "smallest rise of fragmentation by touch",
     "smallest rise of fragmentation by touch", true},
    {"least-fragmentation-fill", "least idle capacity that stays when a host is filled",
     least_fragmentation_by_fill, "smallest rise of fragmentation by fill",
     "smallest rise of fragmentation by fill", true},
});

}  // namespace

std::span<const PolicyRow> policies() { return kPolicies; }

const PolicyRow* find_policy(std::string_view name) {
  const auto row = std::ranges::find(kPolicies, name, &PolicyRow::name);
  return row == kPolicies.end() ? nullptr : &*row;
}

std::optional<Choice> choose(const Snapshot& snapshot, const Request& request,
                             const Distribution& distribution, const PolicyRow& policy,
                             const GoodnessWeights& weights) {
  std::optional<Choice> best;
  Offers offers(snapshot.states(), distribution);
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    const GpuSet serving = serving_gpus(snapshot, host, request);
    if (serving == 0) continue;
    const HostChoice choice = policy.best_on_host({.snapshot = snapshot,
                                                   .host = host,
                                                   .request = request,
                                                   .distribution = distribution,
                                                   .weights = weights,
                                                   .offers = offers,
                                                   .serving = serving});
    if (!best || choice.key > best->key) {
      best = {.host = host, .option = choice.option, .key = choice.key};
    }
  }
  return best;
}

}  // namespace gpushape::place
