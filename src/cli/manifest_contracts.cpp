#include "cli/manifest_contracts.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "catalog/catalog.hpp"
#include "cli/cluster_files.hpp"
#include "profiles/profiles.hpp"
#include "review/asked_contracts.hpp"

namespace gpushape::cli {

Result<std::vector<domain::ResourceContract>> manifest_contracts(
    const std::vector<document::Document>& documents, const Invocation& invocation) {
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return std::unexpected(profiles.error());
  const Result<std::vector<domain::Device>> devices = profiles->all();
  if (!devices) return std::unexpected(devices.error());
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return std::unexpected(catalog.error());
  std::optional<LoadedCluster> cluster;
  if (!invocation.clusters.empty()) {
    Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
    if (!loaded) return std::unexpected(loaded.error());
    cluster = std::move(*loaded);
  }
  review::ReviewRequest request;
  request.documents = documents;
  request.devices = *devices;
  request.catalog = &*catalog;
  if (cluster) request.cluster = &cluster->cluster;
  std::vector<domain::ResourceContract> contracts;
  Diagnostics faults;
  const review::Deployment deployment = review::read_deployment(request);
  for (review::AskedContract& asked : review::contracts_of(deployment)) {
    if (!asked.runs) continue;
    if (asked.contract) {
      contracts.push_back(std::move(*asked.contract));
      continue;
    }
    Diagnostic fault = complaint(fmt::format("{} asks for a GPU, and {}", asked.object, asked.gap));
    fault.span = asked.place;
    faults.push_back(std::move(fault));
  }
  if (!faults.empty()) return failure(std::move(faults));
  return contracts;
}

}  // namespace gpushape::cli
