#include "cli/cluster_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "cli/document_files.hpp"
#include "document/text_format.hpp"
#include "inventory/sources.hpp"
#include "place/complete.hpp"

namespace gpushape::cli {

namespace {

void add_all(Diagnostics& all, const Diagnostics& more) {
  std::ranges::copy(more, std::back_inserter(all));
}

/// Device names become ids; the devices that occur.
Diagnostics resolve_devices(domain::Cluster& cluster, const profiles::Profiles& profiles,
                            std::vector<domain::Device>& devices) {
  Diagnostics faults;
  std::map<std::string, std::string> ids;
  for (domain::ClusterHost& host : cluster.hosts) {
    for (domain::Gpu& gpu : host.gpus) {
      const auto known = ids.find(gpu.device);
      if (known != ids.end()) {
        gpu.device = known->second;
        continue;
      }
      const std::string written = gpu.device;
      Result<domain::Device> device = profiles.find(written);
      if (device) {
        gpu.device = device->id;
        if (std::ranges::find(devices, device->id, &domain::Device::id) == devices.end()) {
          devices.push_back(std::move(*device));
        }
      } else {
        add_all(faults, device.error());
      }
      ids.emplace(written, gpu.device);
    }
  }
  std::ranges::sort(devices, {}, &domain::Device::id);
  return faults;
}

/// "east/esx1": what another cluster has as well.
void qualify(domain::Cluster& cluster, const std::set<std::string>& hosts,
             const std::set<std::string>& vms) {
  const auto rename = [&](std::string& name, const std::set<std::string>& taken) {
    if (taken.contains(name)) name = fmt::format("{}/{}", cluster.name, name);
  };
  for (domain::ClusterHost& host : cluster.hosts) {
    rename(host.name, hosts);
    rename(host.server, hosts);
    for (domain::Gpu& gpu : host.gpus) {
      for (domain::GpuAllocation& share : gpu.allocations) rename(share.vm, vms);
    }
  }
  for (domain::VirtualMachine& vm : cluster.vms) {
    rename(vm.host, hosts);
    rename(vm.name, vms);
  }
}

/// Names that occur in more than one of the clusters.
template <class Rows>
std::set<std::string> repeated(const std::vector<domain::Cluster>& clusters, Rows rows) {
  std::map<std::string, std::size_t> first;
  std::set<std::string> names;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    for (const auto& row : rows(clusters[i])) {
      if (first.emplace(row.name, i).first->second != i) names.insert(row.name);
    }
  }
  return names;
}

std::string stem_of(const std::string& path) {
  return path == "-" ? std::string("stdin") : std::filesystem::path(path).stem().string();
}

/// All hosts and VMs in one, with their clusters beside them.
void join(std::vector<domain::Cluster> clusters, LoadedCluster& loaded) {
  const auto hosts =
      repeated(clusters, [](const domain::Cluster& each) -> const auto& { return each.hosts; });
  const auto vms =
      repeated(clusters, [](const domain::Cluster& each) -> const auto& { return each.vms; });
  std::vector<std::string> names;
  for (domain::Cluster& cluster : clusters) {
    if (cluster.name.empty()) cluster.name = stem_of(cluster.source);
    names.push_back(cluster.name);
    if (clusters.size() > 1) qualify(cluster, hosts, vms);
    loaded.parts.push_back({.name = cluster.name,
                            .first = loaded.cluster.hosts.size(),
                            .hosts = cluster.hosts.size()});
    std::ranges::move(cluster.hosts, std::back_inserter(loaded.cluster.hosts));
    std::ranges::move(cluster.vms, std::back_inserter(loaded.cluster.vms));
  }
  loaded.cluster.name = fmt::format("{}", fmt::join(names, ", "));
}

Diagnostics complain_of_repeated_hosts(const domain::Cluster& cluster) {
  std::set<std::string> names;
  for (const domain::ClusterHost& host : cluster.hosts) {
    if (!names.insert(host.name).second) {
      return {complaint(fmt::format("two hosts are named '{}'", host.name),
                        "give each its own name, or name one inventory at a time")};
    }
  }
  return {};
}

/// By name, or by the ids of vendor and device as "10de:2330".
inventory::FindDevice finder(const profiles::Profiles& profiles) {
  return [&profiles](std::string_view name) -> Result<domain::Device> {
    constexpr std::size_t kVendor = 4;
    const bool is_pci = name.size() == 2 * kVendor + 1 && name[kVendor] == ':';
    if (!is_pci) return profiles.find(name);
    const Result<std::vector<domain::Device>> all = profiles.all();
    if (!all) return std::unexpected(all.error());
    std::vector<const domain::Device*> found;
    for (const domain::Device& device : *all) {
      if (device.pci_vendor == name.substr(0, kVendor) &&
          std::ranges::find(device.pci_devices, name.substr(kVendor + 1)) !=
              device.pci_devices.end()) {
        found.push_back(&device);
      }
    }
    if (found.size() == 1) return *found.front();
    return failure(fmt::format("PCI device {} is {} device of the profile tables", name,
                               found.empty() ? "no" : "more than one"));
  };
}

/// Every file of a folder: exports come with all sorts of endings.
Result<std::vector<std::string>> export_files(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code error;
    if (path == "-" || !std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.is_regular_file(error)) inside.push_back(entry.path().string());
    }
    if (inside.empty()) return failure(fmt::format("{}: the folder holds no file", path));
    std::ranges::sort(inside);
    std::ranges::copy(inside, std::back_inserter(files));
  }
  return files;
}

}  // namespace

std::string to_text(const std::vector<inventory::ImportNote>& notes) {
  std::string text;
  for (const inventory::ImportNote& note : notes) {
    text += note.says;
    if (!note.span.file.empty()) {
      text += note.span.line > 0 ? fmt::format(" ({}:{})", note.span.file, note.span.line)
                                 : fmt::format(" ({})", note.span.file);
    }
    text += "\n";
  }
  return text;
}

Result<inventory::Imported> import_paths(const std::vector<std::string>& paths,
                                         const inventory::ImportOptions& options,
                                         const profiles::Profiles& profiles) {
  const Result<std::vector<std::string>> names = export_files(paths);
  if (!names) return std::unexpected(names.error());
  std::vector<inventory::ImportFile> files;
  Diagnostics faults;
  for (const std::string& name : *names) {
    Result<std::string> text = document::read_file(name);
    if (text) {
      files.push_back({.name = name, .text = std::move(*text), .host = {}});
    } else {
      add_all(faults, text.error());
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  return inventory::import_files(std::move(files), options, finder(profiles));
}

Result<LoadedCluster> load_cluster(const std::vector<std::string>& paths,
                                   const profiles::Profiles& profiles) {
  const Result<std::vector<std::string>> files = document_files(paths);
  if (!files) return std::unexpected(files.error());
  LoadedCluster loaded;
  Diagnostics faults;
  std::vector<domain::Cluster> clusters;
  std::vector<inventory::ImportFile> exports;
  for (const std::string& file : *files) {
    Result<std::string> text = document::read_file(file);
    if (!text) {
      add_all(faults, text.error());
      continue;
    }
    if (inventory::import_source_of(*text) != nullptr) {
      exports.push_back({.name = file, .text = std::move(*text), .host = {}});
      continue;
    }
    const Result<std::vector<document::Document>> documents = document::read_any(*text, file);
    if (!documents) {
      add_all(faults, documents.error());
      continue;
    }
    for (const document::Document& document : *documents) {
      Result<domain::Cluster> cluster = inventory::read_inventory(document);
      if (cluster) {
        clusters.push_back(std::move(*cluster));
      } else {
        add_all(faults, cluster.error());
      }
    }
  }
  if (!exports.empty()) {
    const std::string source = exports.front().name;
    Result<inventory::Imported> imported =
        inventory::import_files(std::move(exports), {}, finder(profiles));
    if (imported) {
      imported->cluster.source = source;
      clusters.push_back(std::move(imported->cluster));
      loaded.notes = std::move(imported->notes);
    } else {
      add_all(faults, imported.error());
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  const bool has_one_name = clusters.size() == 1 && clusters.front().name.empty();
  join(std::move(clusters), loaded);
  if (has_one_name) loaded.cluster.name.clear();
  loaded.cluster.source = fmt::format("{}", fmt::join(paths, ", "));
  add_all(faults, complain_of_repeated_hosts(loaded.cluster));
  add_all(faults, resolve_devices(loaded.cluster, profiles, loaded.devices));
  if (!faults.empty()) return failure(std::move(faults));
  place::complete(loaded.cluster, loaded.devices);
  return loaded;
}

}  // namespace gpushape::cli
