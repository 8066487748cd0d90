#include "inventory/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/edit_distance.hpp"

namespace gpushape::inventory {

namespace {

constexpr auto kRows = std::to_array<ImportRow>({
    {"kubectl", "nodes, pods, ResourceSlices and ResourceClaims of Kubernetes",
     "kubectl get nodes,pods,resourceslices,resourceclaims -A -o json", is_kubernetes,
     read_kubernetes},
    {"vsphere", "hosts and VMs of vSphere, as govc and the JSON API print them",
     "govc object.collect -json -type h / ; govc object.collect -json -type m /", is_vsphere,
     read_vsphere},
    {"nvidia-smi", "GPUs of one host", "nvidia-smi -q -x", is_nvidia_smi, read_nvidia_smi, true},
    {"topology", "links and NUMA nodes of one host's GPUs", "nvidia-smi topo -m",
     is_nvidia_topology, read_nvidia_topology, true},
    {"lstopo", "sockets, NUMA nodes, memory and PCI devices of one host", "lstopo --of xml",
     is_lstopo, read_lstopo, true},
    {"nodes", "a node list as CSV: name, model, GPUs, CPU, memory", "", is_csv_nodes,
     read_csv_nodes},
});

std::vector<std::string> row_names() {
  std::vector<std::string> names;
  for (const ImportRow& row : kRows) names.emplace_back(row.name);
  return names;
}

/// "racks/gpu-7.smi.xml" is of gpu-7.
std::string stem_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string stem = file.substr(0, file.find('.'));
  return stem.empty() || stem == "-" ? std::string("host") : stem;
}

struct Chosen {
  ImportFile* file = nullptr;
  const ImportRow* row = nullptr;
};

/// Which host each file of one host is of.
void name_hosts(std::vector<Chosen>& chosen, const std::string& given) {
  std::map<const ImportRow*, int> counts;
  std::string first;
  for (const Chosen& each : chosen) {
    if (!each.row->is_of_one_host) continue;
    ++counts[each.row];
    if (first.empty()) first = stem_of(each.file->name);
  }
  const bool is_one =
      std::ranges::all_of(counts, [](const auto& count) { return count.second == 1; });
  for (const Chosen& each : chosen) {
    if (!each.row->is_of_one_host) continue;
    each.file->host = stem_of(each.file->name);
    if (is_one) each.file->host = given.empty() ? first : given;
  }
}

/// Where one of a host's files knows its name, that is the host's.
void take_own_names(Seen& seen) {
  std::map<std::string, std::string> names;
  for (const SeenHost& host : seen.hosts) {
    if (!host.own_name.empty()) names.emplace(host.name, host.own_name);
  }
  for (SeenHost& host : seen.hosts) {
    if (const auto name = names.find(host.name); name != names.end()) host.name = name->second;
  }
  for (SeenWorkload& workload : seen.workloads) {
    const auto name = names.find(workload.host);
    if (name != names.end()) workload.host = name->second;
  }
}

}  // namespace

std::span<const ImportRow> import_sources() { return kRows; }

const ImportRow* import_source_of(std::string_view text) {
  const auto row =
      std::ranges::find_if(kRows, [&](const ImportRow& each) { return each.recognises(text); });
  return row == kRows.end() ? nullptr : &*row;
}

Result<Imported> import_files(std::vector<ImportFile> files, const ImportOptions& options,
                              const FindDevice& find) {
  const auto forced = std::ranges::find(kRows, options.from, &ImportRow::name);
  if (!options.from.empty() && forced == kRows.end()) {
    const std::vector<std::string> names = row_names();
    return failure(
        fmt::format("--from: '{}' is no source", options.from),
        suggestion(options.from, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
  }
  Diagnostics faults;
  std::vector<Chosen> chosen;
  for (ImportFile& file : files) {
    const ImportRow* row = options.from.empty() ? import_source_of(file.text) : &*forced;
    if (row == nullptr) {
      Diagnostic fault =
          complaint(fmt::format("{}: this is nothing that an inventory is made from", file.name),
                    fmt::format("it reads {}; --from NAME tells which a file is",
                                fmt::join(row_names(), ", ")));
      faults.push_back(std::move(fault));
      continue;
    }
    chosen.push_back({.file = &file, .row = row});
  }
  if (!faults.empty()) return failure(std::move(faults));
  name_hosts(chosen, options.name);
  Seen seen;
  const bool has_cluster =
      std::ranges::any_of(chosen, [](const Chosen& each) { return !each.row->is_of_one_host; });
  if (has_cluster) seen.name = options.name;
  for (const Chosen& each : chosen) {
    std::ranges::move(each.row->read(*each.file, seen), std::back_inserter(faults));
  }
  if (options.name.empty()) take_own_names(seen);
  if (!faults.empty()) return failure(std::move(faults));
  return cluster_of(std::move(seen), find);
}

}  // namespace gpushape::inventory
