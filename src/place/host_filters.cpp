#include "place/host_filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace gpushape::place {

using domain::Refusal;

namespace {

/// The GPUs that serve, and of them those that are empty.
struct ServingGpus {
  GpuSet all = 0;
  GpuSet empty = 0;
};

ServingGpus serving_of(GpuStates& states, const HostRow& row, const Request& request) {
  ServingGpus serving;
  for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
    const StateId state = row.gpus[gpu];
    if (states.slots(state, request.shape) == 0) continue;
    const GpuSet bit = gpu_bit(static_cast<int>(gpu));
    serving.all |= bit;
    if (states.is_empty(state)) serving.empty |= bit;
  }
  if (!request.asked.pci_addresses.empty()) {
    const GpuSet named = named_gpus(row, request);
    serving.all &= named;
    serving.empty &= named;
  }
  return serving;
}

bool has_whole_domain(const HostRow& row, GpuSet set, int gpus) {
  return std::ranges::any_of(row.domains, [&](GpuSet domain) {
    return (domain & ~set) == 0 && std::popcount(domain) == gpus;
  });
}

/// What the GPUs of a host answer together: absent where they serve.
std::optional<Refusal> gpu_refusal(const Snapshot& snapshot, const HostRow& row,
                                   const Request& request) {
  GpuStates& states = snapshot.states();
  const ServingGpus serving = serving_of(states, row, request);
  if (serving.all == 0) {
    std::optional<Refusal> furthest;
    const GpuSet named = named_gpus(row, request);
    for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
      const auto own = states.fit(row.gpus[gpu], request.shape).refusal;
      const bool is_named = (named >> gpu & 1U) != 0;
      furthest = std::max(
          furthest, is_named ? own : std::min(own.value_or(Refusal::Address), Refusal::Address));
    }
    return furthest.value_or(Refusal::Model);
  }
  if (request.gpus <= 1) return std::nullopt;
  if (std::popcount(serving.empty) < request.gpus) return Refusal::Count;
  if (request.needs_links && !has_whole_domain(row, serving.empty, request.gpus)) {
    return Refusal::LinkDomain;
  }
  return std::nullopt;
}

template <Refusal kReason>
bool gpus_pass(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return gpu_refusal(snapshot, snapshot.row(host), request) != kReason;
}

/// The words of the GPU that got furthest, the first of them.
template <Refusal kReason>
WantedFound gpu_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  GpuStates& states = snapshot.states();
  const GpuShape& shape = states.shape(request.shape);
  const auto row = std::ranges::find(gpu_filters(), kReason, &GpuFilterRow::refusal);
  const HostRow& told = snapshot.row(host);
  const GpuSet named = named_gpus(told, request);
  for (std::size_t gpu = 0; gpu < told.gpus.size(); ++gpu) {
    const StateId id = told.gpus[gpu];
    if (states.fit(id, request.shape).refusal != kReason) continue;
    if (kReason > Refusal::Address && (named >> gpu & 1U) == 0) continue;
    const DeviceGeometry& device = states.geometry(id);
    const int profile = device.find(shape.use, shape.profile);
    return row->words(
        {.state = states.state(id),
         .shape = shape,
         .device = device,
         .profile = profile < 0 ? nullptr : &device.profiles[static_cast<std::size_t>(profile)]});
  }
  return {"a GPU", "the host has none"};
}

bool is_up(const Snapshot& snapshot, std::size_t host, const Request& /*request*/) {
  return snapshot.row(host).is_up;
}
WantedFound state_words(const Snapshot& snapshot, std::size_t host, const Request& /*request*/) {
  return {"up", std::string(name_of(snapshot.host(host).state))};
}

WantedFound address_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  std::vector<std::string> addresses;
  for (const domain::Gpu& gpu : snapshot.host(host).gpus) {
    if (!gpu.pci_address.empty()) addresses.push_back(gpu.pci_address);
  }
  return {fmt::format("the device at {}", fmt::join(request.asked.pci_addresses, " and ")),
          addresses.empty() ? std::string("no address is known")
                            : fmt::format("devices at {}", fmt::join(addresses, ", "))};
}

WantedFound count_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return {
      fmt::format("{} empty GPUs", request.gpus),
      fmt::format("{} empty", std::popcount(candidates(snapshot, snapshot.row(host), request)))};
}

WantedFound domain_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const HostRow& row = snapshot.row(host);
  const auto of_size = std::ranges::count_if(
      row.domains, [&](GpuSet domain) { return std::popcount(domain) == request.gpus; });
  return {fmt::format("a link domain of {} free GPUs", request.gpus),
          of_size == 0 ? fmt::format("the board has no domain of {}", request.gpus)
                       : fmt::format("{} empty GPUs, none of the {} domains is whole",
                                     std::popcount(candidates(snapshot, row, request)), of_size)};
}

bool has_cpu(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const HostRow& row = snapshot.row(host);
  return request.millicores <= row.free_millicores &&
         (!row.mhz || request.reserved_mhz <= row.free_mhz);
}
WantedFound cpu_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const HostRow& row = snapshot.row(host);
  if (request.millicores > row.free_millicores) {
    return {fmt::format("{:.4g} cores", static_cast<double>(request.millicores) / 1000),
            fmt::format("{:.4g} of {:.4g} free", static_cast<double>(row.free_millicores) / 1000,
                        static_cast<double>(row.millicores) / 1000)};
  }
  return {fmt::format("{} MHz reserved", request.reserved_mhz),
          fmt::format("{} of {} MHz free", row.free_mhz, row.mhz.value_or(0))};
}

bool has_memory(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return request.memory <= snapshot.row(host).free_memory;
}
WantedFound memory_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const HostRow& row = snapshot.row(host);
  return {fmt::format("{:.5g} GiB", Bytes(request.memory).gib()),
          fmt::format("{:.5g} of {:.5g} GiB free", Bytes(row.free_memory).gib(),
                      Bytes(row.memory).gib())};
}

/// The virtual nodes of the VM, each within one node of the host. A VM without a topology counts as
/// what it was derived as, one node; where neither side knows, nothing is held against it.
bool fits_nodes(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const auto& numa = snapshot.row(host).numa;
  const std::int64_t nodes = request.asked.numa_nodes;
  if (!numa || nodes <= 0) return true;
  return nodes <= numa->nodes && request.millicores <= nodes * numa->millicores_per_node &&
         request.memory <= nodes * numa->memory_per_node.count();
}
WantedFound numa_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const auto& numa = *snapshot.host(host).numa;
  return {fmt::format("{} NUMA node{} with {:.4g} cores and {:.5g} GiB", request.asked.numa_nodes,
                      request.asked.numa_nodes == 1 ? "" : "s",
                      static_cast<double>(request.millicores) / 1000, Bytes(request.memory).gib()),
          fmt::format("{} nodes of {:.4g} cores and {:.5g} GiB", numa.nodes,
                      static_cast<double>(numa.millicores_per_node) / 1000,
                      numa.memory_per_node.gib())};
}

/// The first of `wanted` that is not among `reached`; nullptr where all are.
const std::string* missing(const std::vector<std::string>& wanted,
                           const std::vector<std::string>& reached) {
  const auto found = std::ranges::find_if(wanted, [&](const std::string& name) {
    return std::ranges::find(reached, name) == reached.end();
  });
  return found == wanted.end() ? nullptr : &*found;
}

std::string list_of(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

bool reaches_datastores(const Snapshot& snapshot, std::size_t host, const Request& request) {
  if (request.asked.datastores.empty()) return true;
  const auto& row = snapshot.host(host);
  return !row.knows_datastores || missing(request.asked.datastores, row.datastores) == nullptr;
}
WantedFound datastore_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const auto& reached = snapshot.host(host).datastores;
  const std::string* name = missing(request.asked.datastores, reached);
  return {name == nullptr ? "" : *name, list_of(reached)};
}

bool reaches_networks(const Snapshot& snapshot, std::size_t host, const Request& request) {
  if (request.asked.networks.empty()) return true;
  const auto& row = snapshot.host(host);
  return !row.knows_networks || missing(request.asked.networks, row.networks) == nullptr;
}
WantedFound network_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const auto& reached = snapshot.host(host).networks;
  const std::string* name = missing(request.asked.networks, reached);
  return {name == nullptr ? "" : *name, list_of(reached)};
}

bool admits_tenant(const Snapshot& snapshot, std::size_t host, const Request& request) {
  if (!snapshot.row(host).is_kept) return true;
  const auto& tenants = snapshot.host(host).tenants;
  return tenants.empty() || std::ranges::find(tenants, request.asked.tenant) != tenants.end();
}
WantedFound tenant_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return {request.asked.tenant.empty() ? "no tenant named" : request.asked.tenant,
          fmt::format("kept for {}", list_of(snapshot.host(host).tenants))};
}

/// Anti-affinity: so many VMs of the group and no more.
bool is_spread(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return request.group == 0 || request.asked.most_per_host <= 0 ||
         vms_of_group(snapshot.row(host), request.group) < request.asked.most_per_host;
}
WantedFound spread_words(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return {
      fmt::format("at most {} of {} on one host", request.asked.most_per_host, request.asked.group),
      fmt::format("{} there", vms_of_group(snapshot.row(host), request.group))};
}

constexpr auto kHostFilters = std::to_array<FilterRow>({
    {Refusal::HostDown, is_up, state_words},
    {Refusal::GpuFailed, gpus_pass<Refusal::GpuFailed>, gpu_words<Refusal::GpuFailed>},
    {Refusal::Model, gpus_pass<Refusal::Model>, gpu_words<Refusal::Model>},
    {Refusal::Label, gpus_pass<Refusal::Label>, gpu_words<Refusal::Label>},
    {Refusal::Address, gpus_pass<Refusal::Address>, address_words},
    {Refusal::Mode, gpus_pass<Refusal::Mode>, gpu_words<Refusal::Mode>},
    {Refusal::ProfileLock, gpus_pass<Refusal::ProfileLock>, gpu_words<Refusal::ProfileLock>},
    {Refusal::Capacity, gpus_pass<Refusal::Capacity>, gpu_words<Refusal::Capacity>},
    {Refusal::Alignment, gpus_pass<Refusal::Alignment>, gpu_words<Refusal::Alignment>},
    {Refusal::Count, gpus_pass<Refusal::Count>, count_words},
    {Refusal::LinkDomain, gpus_pass<Refusal::LinkDomain>, domain_words},
    {Refusal::Cpu, has_cpu, cpu_words},
    {Refusal::Memory, has_memory, memory_words},
    {Refusal::Numa, fits_nodes, numa_words},
    {Refusal::Datastore, reaches_datastores, datastore_words},
    {Refusal::Network, reaches_networks, network_words},
    {Refusal::Tenant, admits_tenant, tenant_words},
    {Refusal::Spread, is_spread, spread_words},
});

/// The rows behind those of the GPUs.
constexpr auto kAfterGpus = std::span(kHostFilters).subspan(11);
static_assert(kAfterGpus.front().refusal == Refusal::Cpu);
constexpr std::size_t kFirstBehindMemory = 13;
static_assert(kHostFilters[kFirstBehindMemory].refusal == Refusal::Numa);

/// Every combination of `count` GPUs of `gpus`, in ascending order, up to the limit.
void combine(const std::vector<int>& gpus, std::size_t from, int count, GpuSet chosen,
             std::vector<Option>& all) {
  if (count == 0) {
    all.push_back({.gpus = chosen, .start = 0});
    return;
  }
  for (std::size_t i = from; i + static_cast<std::size_t>(count) <= gpus.size(); ++i) {
    if (all.size() >= kMostOptions) return;
    combine(gpus, i + 1, count - 1, chosen | gpu_bit(gpus[i]), all);
  }
}

/// Ascending by the lists of GPUs, as words are ordered.
bool is_before(GpuSet a, GpuSet b) {
  const GpuSet differing = a ^ b;
  return differing != 0 && (a & (differing & (~differing + 1))) != 0;
}

}  // namespace

std::span<const FilterRow> filters() { return kHostFilters; }

std::optional<Refusal> refusal_of(const Snapshot& snapshot, std::size_t host,
                                  const Request& request) {
  const HostRow& row = snapshot.row(host);
  if (!row.is_up) return Refusal::HostDown;
  // One look at the GPUs stands for the ten rows about them.
  if (const auto refusal = gpu_refusal(snapshot, row, request)) return refusal;
  for (const FilterRow& filter : kAfterGpus) {
    if (!filter.passes(snapshot, host, request)) return filter.refusal;
  }
  return std::nullopt;
}

GpuSet serving_gpus(const Snapshot& snapshot, std::size_t host, const Request& request) {
  const HostRow& row = snapshot.row(host);
  if (!row.is_up || !has_cpu(snapshot, host, request) || !has_memory(snapshot, host, request)) {
    return 0;
  }
  const ServingGpus serving = serving_of(snapshot.states(), row, request);
  if (serving.all == 0) return 0;
  if (request.gpus > 1 &&
      (std::popcount(serving.empty) < request.gpus ||
       (request.needs_links && !has_whole_domain(row, serving.empty, request.gpus)))) {
    return 0;
  }
  // The rows behind memory, spelled out by the compiler so that none is called through the table.
  const auto all_pass = [&]<std::size_t... kRow>(std::index_sequence<kRow...>) {
    return (kHostFilters[kFirstBehindMemory + kRow].passes(snapshot, host, request) && ...);
  };
  constexpr std::size_t kRows = kHostFilters.size() - kFirstBehindMemory;
  return all_pass(std::make_index_sequence<kRows>()) ? serving.all : 0;
}

bool takes(const Snapshot& snapshot, std::size_t host, const Request& request) {
  return serving_gpus(snapshot, host, request) != 0;
}

GpuSet named_gpus(const HostRow& row, const Request& request) {
  if (request.asked.pci_addresses.empty()) return ~GpuSet{0};
  GpuSet named = 0;
  for (std::size_t gpu = 0; gpu < row.told->gpus.size(); ++gpu) {
    const std::string& own = row.told->gpus[gpu].pci_address;
    const auto& wanted = request.asked.pci_addresses;
    if (!own.empty() && std::ranges::find(wanted, own) != wanted.end()) {
      named |= gpu_bit(static_cast<int>(gpu));
    }
  }
  return named;
}

GpuSet candidates(const Snapshot& snapshot, const HostRow& row, const Request& request) {
  GpuStates& states = snapshot.states();
  const GpuSet named = named_gpus(row, request);
  GpuSet set = 0;
  for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
    if (request.gpus > 1 && !states.is_empty(row.gpus[gpu])) continue;
    if (states.slots(row.gpus[gpu], request.shape) > 0) set |= gpu_bit(static_cast<int>(gpu));
  }
  return set & named;
}

std::vector<GpuSet> domains_within(const HostRow& row, GpuSet gpus, int size) {
  std::vector<GpuSet> domains;
  std::ranges::copy_if(row.domains, std::back_inserter(domains), [&](GpuSet domain) {
    return (domain & ~gpus) == 0 && std::popcount(domain) == size;
  });
  return domains;
}

std::vector<Option> options(const Snapshot& snapshot, const HostRow& row, const Request& request) {
  GpuStates& states = snapshot.states();
  const GpuSet set = candidates(snapshot, row, request);
  std::vector<Option> all;
  if (request.gpus <= 1) {
    for (const int gpu : gpus_of(set)) {
      for (const int start :
           states.fit(row.gpus[static_cast<std::size_t>(gpu)], request.shape).starts) {
        all.push_back({.gpus = gpu_bit(gpu), .start = start});
      }
    }
    return all;
  }
  if (request.needs_links) {
    for (const GpuSet domain : domains_within(row, set, request.gpus)) {
      all.push_back({.gpus = domain, .start = 0});
    }
    std::ranges::sort(all, is_before, &Option::gpus);
    return all;
  }
  combine(gpus_of(set), 0, request.gpus, 0, all);
  return all;
}

}  // namespace gpushape::place
