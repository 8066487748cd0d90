#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "inventory/cluster_fields.hpp"
#include "inventory/document_header.hpp"
#include "inventory/seen_parts.hpp"

namespace gpushape::inventory {

using domain::ClusterHost;
using domain::Device;
using domain::Gpu;

namespace {

/// What a Cluster document may hold; beyond it the sums of a host are a slip of their source.
constexpr std::int64_t kMostSeenMillicores = 1'000'000 * domain::kMillicoresPerCore;
constexpr std::size_t kMostFaults = 8;  // ours: the first ones tell what is wrong

class Converter {
 public:
  Converter(Seen seen, const FindDevice& find) : seen_(std::move(seen)), find_(find) {}

  Result<Imported> run() {
    result_.notes = std::move(seen_.notes);
    result_.cluster.name = seen_.name;
    hosts_ = joined_hosts(seen_);
    if (hosts_.size() > kMostHosts) {
      return failure(fmt::format("a cluster has at most {} hosts", kMostHosts));
    }
    join_workloads(seen_, hosts_);
    for (const SeenHost& host : hosts_) add_host(host);
    if (hosts_.empty()) faults_.push_back(complaint("the files tell of no host"));
    if (faults_.size() > kMostFaults) {
      const std::size_t more = faults_.size() - kMostFaults;
      faults_.resize(kMostFaults);
      faults_.push_back(complaint(fmt::format("{} more hosts like these", more)));
    }
    if (!faults_.empty()) return failure(std::move(faults_));
    note_left_out();
    find_servers();
    sum_up();
    place_holdings(seen_, targets_, result_);
    return std::move(result_);
  }

 private:
  void note(std::string says, const SourceSpan& span) {
    result_.notes.push_back({std::move(says), span});
  }

  /// GPUs that one reason leaves out are one note.
  void leave_out(const SeenGpu& gpu, const std::string& host, const std::string& why) {
    LeftOut& row = left_out_[why];
    if (row.gpus++ == 0) {
      row.span = gpu.span;
      row.first = gpu.name.empty() ? host : fmt::format("{} of {}", gpu.name, host);
    }
    row.hosts.insert(host);
  }

  void note_left_out() {
    for (const auto& [why, row] : left_out_) {
      note(row.gpus == 1
               ? fmt::format("left out: {}: {}", row.first, why)
               : fmt::format("left out: {} GPUs of {} host{}, the first {}: {}", row.gpus,
                             row.hosts.size(), row.hosts.size() == 1 ? "" : "s", row.first, why),
           row.span);
    }
  }

  const Device* device_of(const SeenGpu& gpu, const std::string& host) {
    const auto known = devices_.find(gpu.product);
    if (known == devices_.end()) {
      Result<Device> found = find_(gpu.product);
      if (!found && !gpu.pci_device.empty()) {
        if (Result<Device> by_id = find_(gpu.pci_device)) found = std::move(by_id);
      }
      std::optional<Device> device;
      if (found) {
        device = std::move(*found);
      } else {
        const Diagnostic& why = found.error().front();
        unknown_[gpu.product] =
            why.help.empty() ? why.message : fmt::format("{} ({})", why.message, why.help);
      }
      devices_.emplace(gpu.product, std::move(device));
    }
    const std::optional<Device>& device = devices_.at(gpu.product);
    if (device) return &*device;
    leave_out(gpu, host, unknown_.at(gpu.product));
    return nullptr;
  }

  void complain(const SeenHost& host, std::string message, std::string help) {
    Diagnostic diagnostic = complaint(std::move(message), std::move(help));
    diagnostic.span = host.span;
    faults_.push_back(std::move(diagnostic));
  }

  void add_host(const SeenHost& seen) {
    ClusterHost host;
    host.name = seen.name;
    host.state = seen.state.value_or(domain::HostState::Up);
    host.hardware = seen.hardware;
    if (!seen.hardware && (!seen.millicores || !seen.memory_bytes)) {
      complain(seen,
               fmt::format("{}: no file tells its {}", seen.name,
                           seen.memory_bytes ? "CPU"
                           : seen.millicores ? "memory"
                                             : "CPU and memory"),
               "add one that does: lstopo --of xml, a kubectl or a vSphere export; in a node list "
               "the column memory_mib");
      return;
    }
    host.millicores = seen.millicores.value_or(0);
    host.used_millicores = seen.used_millicores;
    host.mhz = seen.mhz;
    host.used_mhz = seen.used_mhz;
    host.memory_bytes = seen.memory_bytes.value_or(Bytes(0));
    host.used_memory_bytes = seen.used_memory_bytes;
    host.numa = seen.numa;
    host.datastores = seen.datastores;
    host.knows_datastores = seen.knows_datastores;
    host.networks = seen.networks;
    host.knows_networks = seen.knows_networks;
    std::vector<int> positions;  // of the seen GPUs on the host; -1: left out
    std::vector<std::pair<std::string, const Device*>> devices;
    for (const SeenGpu& gpu : seen.gpus) {
      positions.push_back(-1);
      if (!gpu.kept_out.empty()) {
        note(fmt::format("left out: {} of {}: {}", gpu.name.empty() ? "a GPU" : gpu.name, seen.name,
                         gpu.kept_out),
             gpu.span);
        continue;
      }
      const Device* const device = device_of(gpu, seen.name);
      if (device == nullptr) continue;
      if (host.gpus.size() == kMostGpusOfHost) {
        complain(seen, fmt::format("{}: a host has at most {} GPUs", seen.name, kMostGpusOfHost),
                 {});
        return;
      }
      positions.back() = static_cast<int>(host.gpus.size());
      devices.emplace_back(gpu.name, device);
      host.gpus.push_back(gpu_of(gpu, *device, host.gpus.size()));
    }
    host.link_domains = domains_of(seen, positions, devices);
    positions_.emplace(host.name, result_.cluster.hosts.size());
    result_.cluster.hosts.push_back(std::move(host));
    targets_.emplace_back();
    for (auto& [name, device] : devices) {
      targets_.back().push_back({.gpu = nullptr, .device = device, .name = name});
    }
  }

  static Gpu gpu_of(const SeenGpu& seen, const Device& device, std::size_t position) {
    Gpu gpu;
    gpu.id = fmt::format("gpu{}", position);
    gpu.device = device.id;
    gpu.allowed_modes = seen.modes;
    gpu.label = seen.label;
    gpu.pci_address = seen.pci_address;
    gpu.uuid = seen.uuid;
    gpu.numa_node = seen.numa_node;
    gpu.has_failed = seen.has_failed;
    return gpu;
  }

  /// Groups in which every GPU is linked with every other, and the pairs in them. Left to the
  /// board's own table where the whole host is one such group behind switches.
  static std::vector<domain::LinkDomain> domains_of(
      const SeenHost& seen, const std::vector<int>& positions,
      const std::vector<std::pair<std::string, const Device*>>& devices) {
    std::set<std::pair<int, int>> pairs;
    for (const auto& [a, b] : seen.linked) {
      const auto count = static_cast<int>(positions.size());
      if (a < 0 || b < 0 || a >= count || b >= count || a == b) continue;
      const int first = positions[static_cast<std::size_t>(std::min(a, b))];
      const int second = positions[static_cast<std::size_t>(std::max(a, b))];
      if (first >= 0 && second >= 0) pairs.emplace(first, second);
    }
    const std::size_t gpus = devices.size();
    const bool is_whole = gpus > 1 && pairs.size() == gpus * (gpus - 1) / 2;
    if (is_whole && std::ranges::any_of(devices.front().second->boards, [&](const auto& board) {
          return std::cmp_equal(board.gpus, gpus) && !board.partitions.empty();
        })) {
      return {};
    }
    std::vector<domain::LinkDomain> domains;
    std::vector<bool> is_grouped(gpus, false);
    for (int gpu = 0; std::cmp_less(gpu, gpus); ++gpu) {
      if (is_grouped[static_cast<std::size_t>(gpu)]) continue;
      std::vector<int> group = {gpu};
      for (int other = gpu + 1; std::cmp_less(other, gpus); ++other) {
        const bool is_linked_with_all =
            std::ranges::all_of(group, [&](int member) { return pairs.contains({member, other}); });
        if (is_linked_with_all) group.push_back(other);
      }
      if (group.size() < 3) continue;
      for (const int member : group) is_grouped[static_cast<std::size_t>(member)] = true;
      domains.push_back({.gpus = std::move(group)});
    }
    for (const auto& [first, second] : pairs) {
      if (domains.size() < kMostLinkDomains) domains.push_back({.gpus = {first, second}});
    }
    return domains;
  }

  void find_servers() {
    std::map<std::string, std::string> servers;
    for (const SeenWorkload& workload : seen_.workloads) {
      if (!workload.id.empty()) servers.emplace(workload.id, workload.host);
    }
    for (const SeenHost& seen : hosts_) {
      const auto server = servers.find(seen.machine_id);
      if (seen.machine_id.empty() || server == servers.end()) continue;
      result_.cluster.hosts[positions_.at(seen.name)].server = server->second;
    }
  }

  void sum_up() {
    for (std::size_t host = 0; host < targets_.size(); ++host) {
      std::vector<Gpu>& gpus = result_.cluster.hosts[host].gpus;
      for (std::size_t i = 0; i < gpus.size(); ++i) targets_[host][i].gpu = &gpus[i];
    }
    for (const SeenWorkload& workload : seen_.workloads) {
      const auto host = positions_.find(workload.host);
      if (host == positions_.end()) {
        note(fmt::format("left out: {} runs on '{}', which no file tells of", workload.name,
                         workload.host),
             workload.span);
        continue;
      }
      ClusterHost& row = result_.cluster.hosts[host->second];
      row.used_millicores =
          std::min(row.used_millicores + workload.millicores, kMostSeenMillicores);
      row.used_mhz = std::min(row.used_mhz + workload.reserved_mhz, kReservedMhz.most);
      row.used_memory_bytes = std::min(row.used_memory_bytes + workload.memory_bytes, kMostMemory);
    }
  }

  struct LeftOut {
    std::size_t gpus = 0;
    std::set<std::string> hosts;
    std::string first;
    SourceSpan span;
  };

  Seen seen_;
  const FindDevice& find_;
  std::map<std::string, LeftOut> left_out_;  ///< by reason
  Imported result_;
  Diagnostics faults_;
  std::vector<SeenHost> hosts_;
  std::map<std::string, std::optional<Device>> devices_;
  std::map<std::string, std::string> unknown_;
  std::map<std::string, std::size_t> positions_;
  std::vector<std::vector<Target>> targets_;
};

}  // namespace

Result<Imported> cluster_of(Seen seen, const FindDevice& find) {
  return Converter(std::move(seen), find).run();
}

}  // namespace gpushape::inventory
