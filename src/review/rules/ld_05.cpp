// LD-05: a passthrough address is there. A host that was rebuilt, or a card that moved to another
// slot, has another one: the VM does not power on anywhere (vSphere, DirectPath I/O; consumption
// rule LC-02).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct AddressedGpu {
  std::string host;
  const domain::Gpu* gpu = nullptr;
};

/// "0000:3b:00.0" and "3B:00.0" are one address: the domain is 0 where it is left out.
std::string plain_address(std::string_view text) {
  std::string address(text);
  std::ranges::transform(address, address.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (std::ranges::count(address, ':') == 1) address.insert(0, "0000:");
  while (address.find(':') > 4 && address.starts_with('0')) address.erase(0, 1);
  return address;
}

/// All GPUs with that address; nothing where some GPU's address is not known.
std::optional<std::vector<AddressedGpu>> gpus_at(const domain::Cluster& cluster,
                                                 const std::string& address) {
  std::vector<AddressedGpu> found;
  for (const domain::ClusterHost& host : cluster.hosts) {
    for (const domain::Gpu& gpu : host.gpus) {
      if (gpu.pci_address.empty()) return std::nullopt;
      if (plain_address(gpu.pci_address) == address) found.push_back({host.name, &gpu});
    }
  }
  return found;
}

/// What is wrong with it; empty where a GPU of that product sits there.
std::string fault_of(const domain::Cluster& cluster, const std::string& written,
                     std::string_view product) {
  const auto found = gpus_at(cluster, plain_address(written));
  if (!found) return {};
  if (found->empty()) return fmt::format("no host of {} has a GPU at {}", cluster.name, written);
  const bool is_there = std::ranges::any_of(*found, [&](const AddressedGpu& row) {
    return row.gpu->device == product && !row.gpu->has_failed;
  });
  if (is_there) return {};
  return fmt::format("at {} {} has {}{}, and {} is bound there", written, found->front().host,
                     found->front().gpu->has_failed ? "a failed " : "", found->front().gpu->device,
                     product);
}

}  // namespace

void ld_05(const Deployment& deployment, Report& report) {
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return;
  for (const VmClass& vm : deployment.vm_classes) {
    for (const VmDevice& device : vm.devices) {
      if (device.address.empty()) continue;
      const std::string fault = fault_of(*cluster, device.address, device.product->id);
      if (fault.empty()) continue;
      report.add(*vm.document, *device.node,
                 {.message = fmt::format("{} does not power on: {}", title_of(vm), fault)});
    }
  }
  for (const StatedContract& stated : deployment.contracts) {
    for (const std::string& address : stated.contract.placement.pci_addresses) {
      const std::string fault = fault_of(*cluster, address, stated.contract.shape.device);
      if (fault.empty()) continue;
      const document::Node* place = at(*stated.root, {"placement", "pciAddresses"});
      report.add(*stated.document, place != nullptr ? *place : *stated.root,
                 {.message = fmt::format("contract {} cannot be placed: {}", stated.contract.name,
                                         fault)});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
