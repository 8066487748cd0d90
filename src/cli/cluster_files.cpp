#include "cli/cluster_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "cli/document_files.hpp"
#include "inventory/sources.hpp"
#include "place/complete.hpp"

namespace gpushape::cli {

namespace {

void append(Diagnostics& all, const Diagnostics& more) {
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
        append(faults, device.error());
      }
      ids.emplace(written, gpu.device);
    }
  }
  std::ranges::sort(devices, {}, &domain::Device::id);
  return faults;
}

void merge(domain::Cluster& all, domain::Cluster more) {
  if (all.name.empty()) all.name = more.name;
  std::ranges::move(more.hosts, std::back_inserter(all.hosts));
  std::ranges::move(more.vms, std::back_inserter(all.vms));
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

}  // namespace

Result<LoadedCluster> load_cluster(const std::vector<std::string>& paths,
                                   const profiles::Profiles& profiles) {
  const Result<std::vector<std::string>> files = document_files(paths);
  if (!files) return std::unexpected(files.error());
  LoadedCluster loaded;
  Diagnostics faults;
  for (const std::string& file : *files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      append(faults, documents.error());
      continue;
    }
    for (const document::Document& document : *documents) {
      Result<domain::Cluster> cluster = inventory::read_inventory(document);
      if (cluster) {
        merge(loaded.cluster, std::move(*cluster));
      } else {
        append(faults, cluster.error());
      }
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  loaded.cluster.source = fmt::format("{}", fmt::join(paths, ", "));
  append(faults, complain_of_repeated_hosts(loaded.cluster));
  append(faults, resolve_devices(loaded.cluster, profiles, loaded.devices));
  if (!faults.empty()) return failure(std::move(faults));
  place::complete(loaded.cluster, loaded.devices);
  return loaded;
}

}  // namespace gpushape::cli
