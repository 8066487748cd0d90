#include "place/goodness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "place/fragmentation.hpp"

namespace gpushape::place {

namespace {

double share(double part, double whole) { return whole <= 0 ? 0 : part / whole; }

std::optional<double> cpu_headroom(const Snapshot& snapshot, std::size_t host,
                                   const Request& request, Option /*option*/) {
  const HostRow& row = snapshot.row(host);
  return share(static_cast<double>(row.free_millicores - request.millicores),
               static_cast<double>(row.millicores));
}
std::string cpu_fact(const Snapshot& snapshot, std::size_t host, const Request& request,
                     Option /*option*/) {
  const HostRow& row = snapshot.row(host);
  return fmt::format("{:.4g} of {:.4g} cores stay free",
                     static_cast<double>(row.free_millicores - request.millicores) / 1000,
                     static_cast<double>(row.millicores) / 1000);
}

std::optional<double> memory_headroom(const Snapshot& snapshot, std::size_t host,
                                      const Request& request, Option /*option*/) {
  const HostRow& row = snapshot.row(host);
  return share(static_cast<double>(row.free_memory - request.memory),
               static_cast<double>(row.memory));
}
std::string memory_fact(const Snapshot& snapshot, std::size_t host, const Request& request,
                        Option /*option*/) {
  const HostRow& row = snapshot.row(host);
  return fmt::format("{:.5g} of {:.5g} GiB stay free",
                     Bytes(row.free_memory - request.memory).gib(), Bytes(row.memory).gib());
}

struct GpuLeft {
  double idle = 0;
  double in_order = 0;
};

GpuLeft gpu_left(const Snapshot& snapshot, std::size_t host, const Request& request,
                 Option option) {
  GpuStates& states = snapshot.states();
  const HostRow& row = snapshot.row(host);
  GpuLeft left{.idle = row.idle, .in_order = static_cast<double>(row.in_order)};
  for (GpuSet set = option.gpus; set != 0; set &= set - 1) {
    const StateId state = row.gpus[static_cast<std::size_t>(std::countr_zero(set))];
    left.idle += states.idle(states.after(state, request.shape, option.start)) - states.idle(state);
  }
  return left;
}

std::optional<double> gpu_share_left(const Snapshot& snapshot, std::size_t host,
                                     const Request& request, Option option) {
  const GpuLeft left = gpu_left(snapshot, host, request, option);
  return share(left.idle, left.in_order);
}
std::string gpu_fact(const Snapshot& snapshot, std::size_t host, const Request& request,
                     Option option) {
  const GpuLeft left = gpu_left(snapshot, host, request, option);
  return fmt::format("{:.4g} of {:.4g} GPUs stay idle", left.idle, left.in_order);
}

/// NUMA nodes of the chosen GPUs; empty where one of them is not known.
std::set<int> nodes_of(const Snapshot& snapshot, std::size_t host, Option option) {
  std::set<int> nodes;
  for (const int gpu : gpus_of(option.gpus)) {
    const auto node = snapshot.host(host).gpus[static_cast<std::size_t>(gpu)].numa_node;
    if (!node) return {};
    nodes.insert(*node);
  }
  return nodes;
}

/// One node for all of the VM's GPUs is best; each further one costs its share.
std::optional<double> numa_alignment(const Snapshot& snapshot, std::size_t host,
                                     const Request& /*request*/, Option option) {
  const std::set<int> nodes = nodes_of(snapshot, host, option);
  if (nodes.empty()) return std::nullopt;
  return 1.0 / static_cast<double>(nodes.size());
}
std::string numa_fact(const Snapshot& snapshot, std::size_t host, const Request& /*request*/,
                      Option option) {
  return fmt::format("the GPUs sit on NUMA node {}",
                     fmt::join(nodes_of(snapshot, host, option), ", "));
}

std::optional<double> datastore_access(const Snapshot& snapshot, std::size_t host,
                                       const Request& request, Option /*option*/) {
  if (!snapshot.host(host).knows_datastores || request.asked.datastores.empty()) {
    return std::nullopt;
  }
  return 1.0;  // a host that lacks one is refused before
}
std::string datastore_fact(const Snapshot& /*snapshot*/, std::size_t /*host*/,
                           const Request& request, Option /*option*/) {
  return fmt::format("reaches {}", fmt::join(request.asked.datastores, ", "));
}

std::optional<double> network_reach(const Snapshot& snapshot, std::size_t host,
                                    const Request& request, Option /*option*/) {
  if (!snapshot.host(host).knows_networks || request.asked.networks.empty()) return std::nullopt;
  return 1.0;
}
std::string network_fact(const Snapshot& /*snapshot*/, std::size_t /*host*/, const Request& request,
                         Option /*option*/) {
  return fmt::format("reaches {}", fmt::join(request.asked.networks, ", "));
}

/// How evenly CPU, memory and GPUs are used after the placement: what one of them lacks strands
/// the others.
std::optional<double> balance(const Snapshot& snapshot, std::size_t host, const Request& request,
                              Option option) {
  const std::array<double, 3> left = {cpu_headroom(snapshot, host, request, option).value_or(0),
                                      memory_headroom(snapshot, host, request, option).value_or(0),
                                      gpu_share_left(snapshot, host, request, option).value_or(0)};
  const auto [least, most] = std::ranges::minmax(left);
  return 1.0 - (most - least);
}
std::string balance_fact(const Snapshot& snapshot, std::size_t host, const Request& request,
                         Option option) {
  return fmt::format("{:.0f} % CPU, {:.0f} % memory, {:.0f} % GPU stay free",
                     100 * cpu_headroom(snapshot, host, request, option).value_or(0),
                     100 * memory_headroom(snapshot, host, request, option).value_or(0),
                     100 * gpu_share_left(snapshot, host, request, option).value_or(0));
}

constexpr auto kParts = std::to_array<GoodnessRow>({
    {"cpu-headroom", "CPU that stays free", cpu_headroom, cpu_fact},
    {"reserved-memory", "memory that stays unreserved", memory_headroom, memory_fact},
    {"gpu-share-left", "GPU capacity that stays idle", gpu_share_left, gpu_fact},
    {"numa-alignment", "the VM's GPUs on one NUMA node", numa_alignment, numa_fact},
    {"datastore-access", "the named datastores are reached", datastore_access, datastore_fact},
    {"network-reachability", "the named networks are reached", network_reach, network_fact},
    {"balance", "CPU, memory and GPUs run out together", balance, balance_fact},
});

constexpr auto kPresets = std::to_array<GoodnessWeights>({
    {"headroom", "0.4 CPU, 0.4 memory, 0.2 GPU", {0.4, 0.4, 0.2, 0, 0, 0, 0}},
    {"all", "every known part", {0.25, 0.25, 0.15, 0.15, 0.05, 0.05, 0.1}},
});
static_assert(std::tuple_size_v<decltype(GoodnessWeights::weights)> == kParts.size());

}  // namespace

std::span<const GoodnessRow> goodness_parts() { return kParts; }
std::span<const GoodnessWeights> goodness_presets() { return kPresets; }

double goodness(const Snapshot& snapshot, std::size_t host, const Request& request, Option option,
                const GoodnessWeights& weights) {
  double sum = 0;
  double known = 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (weights.weights[i] <= 0) continue;
    const auto value = kParts[i].value(snapshot, host, request, option);
    if (!value) continue;
    sum += weights.weights[i] * *value;
    known += weights.weights[i];
  }
  return known <= 0 ? 0 : sum / known;
}

std::vector<domain::GoodnessPart> explain_goodness(const Snapshot& snapshot, std::size_t host,
                                                   const Request& request, Option option,
                                                   const GoodnessWeights& weights) {
  std::vector<domain::GoodnessPart> parts;
  double known = 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (weights.weights[i] <= 0) continue;
    const auto value = kParts[i].value(snapshot, host, request, option);
    if (!value) continue;
    known += weights.weights[i];
    parts.push_back({.name = std::string(kParts[i].name),
                     .value = 100 * *value,
                     .weight = weights.weights[i],
                     .fact = kParts[i].fact(snapshot, host, request, option)});
  }
  for (domain::GoodnessPart& part : parts) part.weight /= known;
  return parts;
}

}  // namespace gpushape::place
