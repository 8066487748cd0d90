#include "review/rules/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gpushape::review {

bool is_whole_device(const VmDevice& device) {
  if (device.is_passthrough()) return true;
  const domain::Profile* profile = profile_of_device(device);
  return profile != nullptr && profile->is_full_size;
}

std::int64_t gpus_of(const VmClass& vm) {
  const bool is_whole = std::ranges::all_of(vm.devices, is_whole_device);
  return is_whole ? static_cast<std::int64_t>(vm.devices.size()) : 1;
}

const domain::Device* product_of(const VmClass& vm) {
  if (vm.devices.empty()) return nullptr;
  const domain::Device* product = vm.devices.front().product;
  const bool is_one = std::ranges::all_of(
      vm.devices, [product](const VmDevice& device) { return device.product == product; });
  return is_one ? product : nullptr;
}

std::vector<const domain::ClusterHost*> hosts_with(const Deployment& deployment,
                                                   const domain::Device& product,
                                                   std::int64_t gpus) {
  std::vector<const domain::ClusterHost*> hosts;
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return hosts;
  for (const domain::ClusterHost& host : cluster->hosts) {
    if (host.state != domain::HostState::Up) continue;
    const auto count = std::ranges::count_if(host.gpus, [&](const domain::Gpu& gpu) {
      return gpu.device == product.id && !gpu.has_failed;
    });
    if (count >= gpus) hosts.push_back(&host);
  }
  return hosts;
}

std::vector<const domain::ClusterHost*> hosts_for(const Deployment& deployment, const VmClass& vm) {
  const domain::Device* product = product_of(vm);
  if (product == nullptr) return {};
  return hosts_with(deployment, *product, gpus_of(vm));
}

std::int64_t link_reach(const domain::Device& product,
                        const std::vector<const domain::ClusterHost*>& hosts) {
  if (hosts.empty()) return product.nvlink.max_domain;
  std::int64_t most = 1;
  for (const domain::ClusterHost* host : hosts) {
    for (const domain::LinkDomain& group : host->link_domains) {
      const bool is_own = std::ranges::all_of(group.gpus, [&](int gpu) {
        return host->gpus[static_cast<std::size_t>(gpu)].device == product.id;
      });
      if (is_own) most = std::max(most, static_cast<std::int64_t>(group.gpus.size()));
    }
  }
  return most;
}

std::optional<std::int64_t> most_on_one_node(const domain::ClusterHost& host,
                                             const domain::Device& product) {
  std::map<int, std::int64_t> counts;
  for (const domain::Gpu& gpu : host.gpus) {
    if (gpu.device != product.id) continue;
    if (!gpu.numa_node) return std::nullopt;
    ++counts[*gpu.numa_node];
  }
  std::int64_t most = 0;
  for (const auto& [node, count] : counts) most = std::max(most, count);
  return most;
}

std::string names_of_hosts(const std::vector<const domain::ClusterHost*>& hosts) {
  constexpr std::size_t kShownHosts = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownHosts, hosts.size()); ++i) {
    text += (i == 0 ? "" : ", ") + hosts[i]->name;
  }
  if (hosts.size() > kShownHosts) text += fmt::format(" and {} more", hosts.size() - kShownHosts);
  return text;
}

std::optional<domain::ResourceContract> contract_behind(const Deployment& deployment,
                                                        const VmClass& vm) {
  if (vm.devices.empty()) return std::nullopt;
  return contract_of(vm, deployment).contract;
}

std::string reason_to_move(const Deployment& deployment, const VmClass& vm) {
  for (const std::string_view name :
       {"gpushape.dev/needs-live-migration", "gpushape.dev/needs-ha"}) {
    if (vm.annotation(name) == "true") return fmt::format("its annotation {} says so", name);
  }
  if (const domain::Workload* workload = deployment.request->workload) {
    if (workload->needs_live_migration.value) return "the workload needs live migration";
    if (workload->needs_ha.value) return "the workload needs high availability";
  }
  for (const StatedPlatform& platform : deployment.platforms) {
    if (platform.facts.expects_restart.value_or(false)) {
      return "the Platform document expects restarts";
    }
  }
  if (vm.annotation("gpushape.dev/contract").empty()) return {};
  const auto contract = contract_behind(deployment, vm);
  if (contract && contract->needs_live_migration) return "its contract needs live migration";
  if (contract && contract->needs_ha) return "its contract needs high availability";
  return {};
}

const domain::Device* device_by_id(const Deployment& deployment, std::string_view id) {
  const auto found = std::ranges::find(deployment.request->devices, id, &domain::Device::id);
  return found == deployment.request->devices.end() ? nullptr : &*found;
}

}  // namespace gpushape::review
