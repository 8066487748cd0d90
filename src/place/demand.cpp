#include "place/demand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "place/gpu_slots.hpp"

namespace gpushape::place {

using domain::GpuUse;
using domain::PlacementRequest;
using domain::Shape;
using domain::Technology;

namespace {

GpuUse use_of(Technology technology) {
  switch (technology) {
    case Technology::TimeSliced:
    case Technology::FullVgpu:
    case Technology::Mps:
    case Technology::SoftwareShare:
    case Technology::Partition:
      return GpuUse::TimeSliced;
    case Technology::Mig:
    case Technology::MigBackedVgpu:
      return GpuUse::Mig;
    case Technology::Passthrough:
    case Technology::WholeGpu:
      return GpuUse::Passthrough;
  }
  return GpuUse::Passthrough;
}

std::string profile_name(const Shape& shape, std::span<const domain::Device> devices) {
  if (use_of(shape.technology) == GpuUse::Passthrough) return {};
  const auto device = std::ranges::find(devices, shape.device, &domain::Device::id);
  if (device != devices.end()) {
    if (const domain::Profile* profile = profile_of(shape, *device)) {
      return profile->mig_profile.empty() ? profile->short_name : profile->mig_profile;
    }
  }
  return shape.profile_short.empty() ? shape.profile : shape.profile_short;
}

}  // namespace

PlacementRequest request_of(const domain::ResourceContract& contract, const Shape& shape,
                            std::span<const domain::Device> devices) {
  PlacementRequest request;
  request.use = use_of(shape.technology);
  request.profile = profile_name(shape, devices);
  request.gpus = shape.count;
  request.needs_links = needs_links(shape);
  const std::int64_t per_core = std::max<std::int64_t>(contract.vcpus_per_core, 1);
  request.millicores = (contract.vcpus * domain::kMillicoresPerCore + per_core - 1) / per_core;
  request.reserved_mhz = contract.cpu_reservation_mhz;
  request.memory_bytes = contract.memory_bytes;
  request.devices = {shape.device};
  if (!contract.hardware_label.empty()) request.label = contract.hardware_label;
  const domain::PlacementTerms& terms = contract.placement;
  if (request.use == GpuUse::Passthrough && !terms.pci_addresses.empty()) {
    request.is_static = true;
    request.pci_addresses = terms.pci_addresses;
  }
  request.datastores = terms.datastores;
  request.networks = terms.networks;
  request.tenant = terms.tenant;
  if (terms.most_per_host > 0) {
    request.most_per_host = terms.most_per_host;
    request.group = contract.name.empty() ? "vm" : contract.name;
  }
  // Without a topology the VM was made to fit one node.
  request.numa_nodes = contract.numa ? contract.numa->nodes : 1;
  return request;
}

std::vector<PlacementRequest> requests_of(const domain::ResourceContract& contract,
                                          std::span<const domain::Device> devices) {
  std::vector<PlacementRequest> requests = {request_of(contract, contract.shape, devices)};
  for (const Shape& shape : contract.alternatives) {
    requests.push_back(request_of(contract, shape, devices));
  }
  return requests;
}

std::string words_of(const PlacementRequest& request) {
  std::string text = request.gpus > 1 ? fmt::format("{} x ", request.gpus) : std::string();
  text += request.use == GpuUse::Passthrough ? "passthrough" : request.profile;
  if (request.needs_links) text += " linked";
  return text;
}

}  // namespace gpushape::place
