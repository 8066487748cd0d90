// What several files tell of one host or one workload, joined.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

#include "inventory/seen_parts.hpp"

namespace gpushape::inventory {

using domain::GpuUse;

namespace {

template <class T>
void take(std::optional<T>& into, std::optional<T>& from) {
  if (!into) into = std::move(from);
}
void take(std::string& into, std::string& from) {
  if (into.empty()) into = std::move(from);
}

SeenGpu* counterpart(SeenHost& host, const SeenGpu& gpu, std::size_t position) {
  for (SeenGpu& other : host.gpus) {
    if (!gpu.pci_address.empty() && gpu.pci_address == other.pci_address) return &other;
    if (!gpu.uuid.empty() && gpu.uuid == other.uuid) return &other;
  }
  const bool has_key = !gpu.pci_address.empty() || !gpu.uuid.empty();
  if (position >= host.gpus.size()) return nullptr;
  SeenGpu& same = host.gpus[position];
  return !has_key || (same.pci_address.empty() && same.uuid.empty()) ? &same : nullptr;
}

void add_facts(SeenGpu& into, SeenGpu& from) {
  take(into.name, from.name);
  take(into.product, from.product);
  take(into.uuid, from.uuid);
  take(into.pci_address, from.pci_address);
  take(into.pci_device, from.pci_device);
  take(into.numa_node, from.numa_node);
  if (into.modes.empty()) into.modes = std::move(from.modes);
  take(into.label, from.label);
  into.has_failed = into.has_failed || from.has_failed;
  take(into.kept_out, from.kept_out);
}

/// The host that lists the GPUs keeps its order; the other one adds facts to them.
void merge(SeenHost& into, SeenHost from) {
  if (!into.gpus_are_complete && (from.gpus_are_complete || into.gpus.empty())) {
    std::swap(into.gpus, from.gpus);
    std::swap(into.gpus_are_complete, from.gpus_are_complete);
  }
  for (std::size_t i = 0; i < from.gpus.size(); ++i) {
    if (SeenGpu* const gpu = counterpart(into, from.gpus[i], i)) {
      add_facts(*gpu, from.gpus[i]);
    } else if (!into.gpus_are_complete) {
      into.gpus.push_back(std::move(from.gpus[i]));
    }
  }
  take(into.state, from.state);
  take(into.millicores, from.millicores);
  into.used_millicores += from.used_millicores;
  take(into.mhz, from.mhz);
  into.used_mhz += from.used_mhz;
  take(into.memory_bytes, from.memory_bytes);
  into.used_memory_bytes += from.used_memory_bytes;
  take(into.numa, from.numa);
  take(into.hardware, from.hardware);
  std::ranges::move(from.linked, std::back_inserter(into.linked));
  if (!into.knows_datastores) {
    into.datastores = std::move(from.datastores);
    into.knows_datastores = from.knows_datastores;
  }
  if (!into.knows_networks) {
    into.networks = std::move(from.networks);
    into.knows_networks = from.knows_networks;
  }
  take(into.machine_id, from.machine_id);
  take(into.own_name, from.own_name);
  take(into.unit_profile, from.unit_profile);
  into.replicas = std::max(into.replicas, from.replicas);
}

/// "One GPU" is what the host's device plugin hands out as one.
void translate_unit(SeenHolding& holding, const SeenHost& host, const SeenWorkload& workload) {
  if (!holding.gpu.empty() || holding.share || !holding.takes_whole()) return;
  if (!host.unit_profile.empty()) {
    holding.profile = host.unit_profile;
    holding.use = GpuUse::Mig;
  } else if (host.replicas > 1) {
    holding.share = domain::SoftwareShare{.holder = workload.name,
                                          .team = workload.team,
                                          .memory_bytes = {},
                                          .fraction = 1.0 / host.replicas};
  }
}

/// Reserved CPU in cores is what its MHz are at the host's base clock; and the GPUs of its vGPUs
/// are those that name it.
void complete_workload(SeenWorkload& workload, const SeenHost& host, const Seen& seen) {
  if (workload.millicores == 0 && host.hardware && host.hardware->base_mhz > 0) {
    const std::int64_t base = host.hardware->base_mhz;
    workload.millicores = (workload.reserved_mhz * domain::kMillicoresPerCore + base - 1) / base;
  }
  std::vector<SeenHolding*> vgpus;
  for (SeenHolding& holding : workload.holdings) {
    if (holding.profile.empty()) continue;
    if (holding.gpu.empty()) vgpus.push_back(&holding);
    if (seen.fixed_profiles.contains(holding.profile)) workload.can_move = false;
  }
  if (workload.reference.empty()) return;
  std::vector<std::string> gpus;
  for (const SeenGpu& gpu : host.gpus) {
    if (std::ranges::find(gpu.holders, workload.reference) != gpu.holders.end()) {
      gpus.push_back(gpu.pci_address);
    }
  }
  if (gpus.size() != 1 && gpus.size() != vgpus.size()) return;
  for (std::size_t i = 0; i < vgpus.size(); ++i) {
    vgpus[i]->gpu = gpus[gpus.size() == 1 ? 0 : i];
  }
}

}  // namespace

std::vector<SeenHost> joined_hosts(Seen& seen) {
  std::vector<SeenHost> hosts;
  std::map<std::string, std::size_t> positions;
  for (SeenHost& host : seen.hosts) {
    const auto [known, is_new] = positions.emplace(host.name, hosts.size());
    if (is_new) {
      hosts.push_back(std::move(host));
    } else {
      merge(hosts[known->second], std::move(host));
    }
  }
  return hosts;
}

// What several files tell of one workload is one; names of slices become GPUs and profiles.
void join_workloads(Seen& seen, const std::vector<SeenHost>& hosts) {
  std::map<std::pair<std::string, std::string>, std::size_t> positions;
  std::vector<SeenWorkload> joined;
  for (SeenWorkload& workload : seen.workloads) {
    const auto name = seen.host_names.find(workload.host);
    if (name != seen.host_names.end()) workload.host = name->second;
    const auto [known, is_new] =
        positions.emplace(std::pair(workload.host, workload.name), joined.size());
    if (is_new) {
      joined.push_back(std::move(workload));
      continue;
    }
    SeenWorkload& into = joined[known->second];
    into.millicores += workload.millicores;
    into.reserved_mhz += workload.reserved_mhz;
    into.memory_bytes += workload.memory_bytes;
    take(into.team, workload.team);
    std::ranges::move(workload.holdings, std::back_inserter(into.holdings));
  }
  seen.workloads = std::move(joined);
  std::map<std::pair<std::string, std::string>, const SeenPart*> parts;
  for (const SeenPart& part : seen.parts) parts.emplace(std::pair(part.host, part.name), &part);
  std::map<std::string, const SeenHost*> by_name;
  for (const SeenHost& host : hosts) by_name.emplace(host.name, &host);
  for (SeenWorkload& workload : seen.workloads) {
    const auto host = by_name.find(workload.host);
    if (host != by_name.end()) complete_workload(workload, *host->second, seen);
    for (SeenHolding& holding : workload.holdings) {
      if (const auto part = parts.find({workload.host, holding.gpu}); part != parts.end()) {
        holding.gpu = part->second->gpu;
        holding.profile = part->second->profile;
        holding.start = part->second->start;
        if (!holding.profile.empty()) holding.use = GpuUse::Mig;
      }
      if (host != by_name.end()) translate_unit(holding, *host->second, workload);
    }
  }
}

std::string pci_address_of(std::string_view text) {
  std::vector<unsigned> parts;
  std::string_view rest = text;
  const std::size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos) return {};
  const auto hex = [](std::string_view word) -> std::optional<unsigned> {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
      return std::nullopt;
    }
    return value;
  };
  const auto function = hex(rest.substr(dot + 1));
  rest = rest.substr(0, dot);
  while (true) {
    const std::size_t colon = rest.find(':');
    const auto part = hex(rest.substr(0, colon));
    if (!part) return {};
    parts.push_back(*part);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (!function || parts.size() < 2 || parts.size() > 3) return {};
  if (parts.size() == 2) parts.insert(parts.begin(), 0);
  if (parts[1] > 0xffU || parts[2] > 0x1fU || *function > 7U) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", parts[0], parts[1], parts[2], *function);
}

}  // namespace gpushape::inventory
