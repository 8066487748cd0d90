#include "place/snapshot.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace gpushape::place {

using domain::ClusterHost;
using domain::GpuMode;
using domain::GpuUse;

namespace {

std::vector<DeviceGeometry> geometries(std::span<const domain::Device> devices) {
  std::vector<DeviceGeometry> all;
  all.reserve(devices.size());
  std::ranges::transform(devices, std::back_inserter(all), geometry_of);
  return all;
}

/// The axis that an allocation lies on, from the mode of its GPU.
GpuUse use_of(GpuMode mode) {
  if (mode == GpuMode::Mig) return GpuUse::Mig;
  return mode == GpuMode::Passthrough ? GpuUse::Passthrough : GpuUse::TimeSliced;
}

GpuState state_of(const domain::Gpu& gpu, GpuStates& states) {
  GpuState state;
  state.device = states.device(gpu.device);
  for (const GpuMode mode : gpu.allowed_modes) state.allowed |= mode_bit(mode);
  state.label = gpu.label;
  state.has_failed = gpu.has_failed;
  state.mode = gpu.mode;
  const DeviceGeometry& device = states.devices()[static_cast<std::size_t>(state.device)];
  const GpuUse use = use_of(gpu.mode.value_or(GpuMode::Passthrough));
  if (gpu.mode == GpuMode::SameSize) state.profile = device.find(use, gpu.profile);
  for (const domain::GpuAllocation& allocation : gpu.allocations) {
    state.taken.push_back(
        {.profile = use == GpuUse::Passthrough ? -1 : device.find(use, allocation.profile),
         .start = allocation.start,
         .size = allocation.size});
  }
  return state;
}

std::vector<GpuSet> domains_of(const ClusterHost& host) {
  std::set<GpuSet> sets;
  for (const domain::LinkDomain& domain : host.link_domains) {
    const bool is_on_host = std::ranges::all_of(
        domain.gpus, [&](int gpu) { return gpu >= 0 && std::cmp_less(gpu, host.gpus.size()); });
    if (is_on_host) sets.insert(gpu_set(domain.gpus));
  }
  std::vector<GpuSet> domains(sets.begin(), sets.end());
  std::ranges::stable_sort(domains, std::ranges::greater{},
                           [](GpuSet set) { return std::popcount(set); });
  return domains;
}

/// What follows from the states of the GPUs, anew.
void sum_up_gpus(HostRow& row, const GpuStates& states) {
  row.idle = 0;
  row.in_order = 0;
  row.free = 0;
  for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
    const StateId state = row.gpus[gpu];
    row.idle += states.idle(state);
    if (states.has_failed(state)) continue;
    ++row.in_order;
    if (states.is_empty(state)) row.free |= gpu_bit(static_cast<int>(gpu));
  }
}

HostRow row_of(const ClusterHost& host, GpuStates& states) {
  HostRow row;
  row.is_up = host.state == domain::HostState::Up;
  row.millicores = host.millicores;
  row.free_millicores = host.millicores - host.used_millicores;
  row.mhz = host.mhz;
  row.free_mhz = host.mhz.value_or(0) - host.used_mhz;
  row.memory = host.memory_bytes.count();
  row.free_memory = host.memory_bytes.count() - host.used_memory_bytes.count();
  for (const domain::Gpu& gpu : host.gpus) {
    row.gpus.push_back(states.intern(state_of(gpu, states)));
  }
  row.domains = domains_of(host);
  row.numa = host.numa;
  row.is_kept = !host.tenants.empty();
  sum_up_gpus(row, states);
  return row;
}

void count_in_group(HostRow& row, GroupId group, std::int32_t more) {
  if (group == 0) return;
  const auto place = std::ranges::lower_bound(row.groups, group, {}, &GroupCount::group);
  if (place == row.groups.end() || place->group != group) {
    row.groups.insert(place, {.group = group, .vms = more});
  } else if ((place->vms += more) == 0) {
    row.groups.erase(place);
  }
}

void write_back(domain::Gpu& gpu, const PlacedVm& placed, const std::string& vm,
                const GpuStates& states, StateId state) {
  const GpuShape& shape = states.shape(placed.request.shape);
  const DeviceGeometry& device = states.geometry(state);
  const int profile = device.find(shape.use, shape.profile);
  const bool has_profile = shape.use != GpuUse::Passthrough && profile >= 0;
  domain::GpuAllocation allocation{
      .vm = vm, .profile = {}, .start = placed.option.start, .size = device.memory_gb};
  if (has_profile) {
    allocation.profile = device.profiles[static_cast<std::size_t>(profile)].name;
    allocation.size = device.profiles[static_cast<std::size_t>(profile)].size;
  }
  gpu.allocations.push_back(std::move(allocation));
}

}  // namespace

std::vector<int> gpus_of(GpuSet set) {
  std::vector<int> gpus;
  for (; set != 0; set &= set - 1) gpus.push_back(std::countr_zero(set));
  return gpus;
}

GpuSet gpu_set(std::span<const int> gpus) {
  GpuSet set = 0;
  for (const int gpu : gpus) set |= gpu_bit(gpu);
  return set;
}

Snapshot::Snapshot(const domain::Cluster& cluster, std::span<const domain::Device> devices)
    : Snapshot(cluster, geometries(devices)) {}

Snapshot::Snapshot(const domain::Cluster& cluster, std::vector<DeviceGeometry> devices)
    : states_(std::make_shared<GpuStates>(std::move(devices))),
      groups_(std::make_shared<std::map<std::string, GroupId>>()),
      hosts_(std::make_shared<const std::vector<ClusterHost>>(cluster.hosts)),
      first_vms_(std::make_shared<const std::vector<domain::VirtualMachine>>(cluster.vms)) {
  rows_.reserve(cluster.hosts.size());
  std::map<std::pair<std::size_t, std::vector<GpuSet>>, std::uint32_t> layouts;
  for (const ClusterHost& host : cluster.hosts) {
    HostRow& row = rows_.emplace_back(row_of(host, *states_));
    row.told = &(*hosts_)[rows_.size() - 1];
    const auto position = static_cast<std::uint32_t>(layouts.size());
    row.layout = layouts.try_emplace({row.gpus.size(), row.domains}, position).first->second;
  }
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i)
    positions.emplace(cluster.hosts[i].name, i);
  for (const domain::VirtualMachine& vm : cluster.vms) {
    const auto host = positions.find(vm.host);
    if (host == positions.end()) continue;
    const auto [placed, is_new] = vms_.try_emplace(
        vm.name, PlacedVm{.request = compile(vm.request),
                          .host = host->second,
                          .option = {.gpus = gpu_set(vm.gpus), .start = vm.start}});
    if (is_new) count_in_group(rows_[host->second], placed->second.request.group, 1);
  }
}

Request Snapshot::compile(const domain::PlacementRequest& request) const {
  GroupId group = 0;
  if (!request.group.empty()) {
    const auto next = static_cast<GroupId>(groups_->size() + 1);
    group = groups_->try_emplace(request.group, next).first->second;
  }
  return {.shape = states_->intern(GpuShape{.use = request.use,
                                            .profile = request.profile,
                                            .devices = request.devices,
                                            .label = request.label}),
          .gpus = static_cast<int>(request.gpus),
          .needs_links = request.needs_links && request.gpus > 1,
          .millicores = request.millicores,
          .reserved_mhz = request.reserved_mhz,
          .memory = request.memory_bytes.count(),
          .group = group,
          .asked = request};
}

Distribution Snapshot::compile(
    std::span<const std::pair<double, domain::PlacementRequest>> distribution) const {
  Distribution compiled;
  compiled.reserve(distribution.size());
  for (const auto& [probability, request] : distribution) {
    compiled.push_back({.probability = probability, .request = compile(request)});
  }
  return compiled;
}

std::optional<std::size_t> Snapshot::find_host(const std::string& name) const {
  const auto found = std::ranges::find(*hosts_, name, &ClusterHost::name);
  if (found == hosts_->end()) return std::nullopt;
  return static_cast<std::size_t>(found - hosts_->begin());
}

void Snapshot::place(const std::string& vm, const Request& request, std::size_t host,
                     Option option) {
  HostRow& row = rows_[host];
  for (GpuSet set = option.gpus; set != 0; set &= set - 1) {
    StateId& state = row.gpus[static_cast<std::size_t>(std::countr_zero(set))];
    state = states_->after(state, request.shape, option.start);
  }
  sum_up_gpus(row, *states_);
  row.free_millicores -= request.millicores;
  row.free_mhz -= request.reserved_mhz;
  row.free_memory -= request.memory;
  count_in_group(row, request.group, 1);
  vms_.insert_or_assign(vm, PlacedVm{.request = request, .host = host, .option = option});
}

std::optional<std::size_t> Snapshot::remove(const std::string& vm) {
  const auto found = vms_.find(vm);
  if (found == vms_.end()) return std::nullopt;
  const std::size_t host = found->second.host;
  const PlacedVm& placed = found->second;
  HostRow& row = rows_[placed.host];
  for (GpuSet set = placed.option.gpus; set != 0; set &= set - 1) {
    StateId& state = row.gpus[static_cast<std::size_t>(std::countr_zero(set))];
    state = states_->without(state, placed.request.shape, placed.option.start);
  }
  sum_up_gpus(row, *states_);
  row.free_millicores += placed.request.millicores;
  row.free_mhz += placed.request.reserved_mhz;
  row.free_memory += placed.request.memory;
  count_in_group(row, placed.request.group, -1);
  vms_.erase(found);
  return host;
}

domain::Cluster Snapshot::cluster() const {
  domain::Cluster now;
  now.hosts = *hosts_;
  std::map<std::string, const domain::VirtualMachine*> known;
  for (const domain::VirtualMachine& vm : *first_vms_) known.emplace(vm.name, &vm);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    ClusterHost& host = now.hosts[i];
    const HostRow& row = rows_[i];
    host.used_millicores = row.millicores - row.free_millicores;
    host.used_mhz = row.mhz.value_or(0) - row.free_mhz;
    host.used_memory_bytes = Bytes(row.memory - row.free_memory);
    for (std::size_t g = 0; g < row.gpus.size(); ++g) {
      const GpuState& state = states_->state(row.gpus[g]);
      domain::Gpu& gpu = host.gpus[g];
      gpu.mode = state.mode;
      gpu.profile = state.profile < 0 ? std::string()
                                      : states_->geometry(row.gpus[g])
                                            .profiles[static_cast<std::size_t>(state.profile)]
                                            .name;
      // Shares of VMs that the list does not name stay; the others are written anew below.
      std::erase_if(gpu.allocations, [&](const domain::GpuAllocation& allocation) {
        return known.contains(allocation.vm) || vms_.contains(allocation.vm);
      });
    }
  }
  for (const auto& [name, placed] : vms_) {
    ClusterHost& host = now.hosts[placed.host];
    for (const int gpu : gpus_of(placed.option.gpus)) {
      const auto position = static_cast<std::size_t>(gpu);
      write_back(host.gpus[position], placed, name, *states_, rows_[placed.host].gpus[position]);
    }
    domain::VirtualMachine vm;
    if (const auto first = known.find(name); first != known.end()) vm = *first->second;
    vm.name = name;
    vm.host = host.name;
    vm.gpus = gpus_of(placed.option.gpus);
    vm.start = placed.option.start;
    vm.request = placed.request.asked;
    now.vms.push_back(std::move(vm));
  }
  return now;
}

std::int64_t vms_of_group(const HostRow& row, GroupId group) {
  const auto place = std::ranges::lower_bound(row.groups, group, {}, &GroupCount::group);
  return place == row.groups.end() || place->group != group ? 0 : place->vms;
}

std::vector<StateId> gpus_after(const Snapshot& snapshot, const HostRow& row,
                                const Request& request, Option option) {
  std::vector<StateId> gpus = row.gpus;
  for (GpuSet set = option.gpus; set != 0; set &= set - 1) {
    StateId& state = gpus[static_cast<std::size_t>(std::countr_zero(set))];
    state = snapshot.states().after(state, request.shape, option.start);
  }
  return gpus;
}

}  // namespace gpushape::place
