#include "place/host_classes.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace gpushape::place {

HostClasses::HostClasses(const Snapshot& snapshot, bool tells_addresses_apart) {
  using Make = std::tuple<std::vector<GpuSet>, bool, std::int64_t, std::int64_t, std::int64_t,
                          std::vector<std::string>, std::vector<std::string>,
                          std::vector<std::string>, bool, bool, std::vector<std::string>>;
  std::map<Make, std::size_t> classes;
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    const HostRow& row = snapshot.row(i);
    const domain::ClusterHost& host = snapshot.host(i);
    const auto numa = host.numa.value_or(domain::NumaLayout{});
    std::vector<std::string> addresses;
    if (tells_addresses_apart) {
      for (const domain::Gpu& gpu : host.gpus) addresses.push_back(gpu.pci_address);
    }
    const std::size_t position = classes.size();
    classes_.push_back(
        classes
            .try_emplace(Make{row.domains, row.mhz.has_value(), host.numa ? numa.nodes : -1,
                              numa.millicores_per_node, numa.memory_per_node.count(),
                              host.datastores, host.networks, host.tenants, host.knows_datastores,
                              host.knows_networks, std::move(addresses)},
                         position)
            .first->second);
  }
}

HostKey HostClasses::key_of(const Snapshot& snapshot, std::size_t host) const {
  const HostRow& row = snapshot.row(host);
  return {classes_[host],  row.gpus,  row.free_millicores, row.mhz ? row.free_mhz : -1,
          row.free_memory, row.groups};
}

std::vector<HostKey> HostClasses::keys_of(const Snapshot& snapshot) const {
  std::vector<HostKey> keys;
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    if (snapshot.row(i).is_up) keys.push_back(key_of(snapshot, i));
  }
  std::ranges::sort(keys);
  return keys;
}

}  // namespace gpushape::place
