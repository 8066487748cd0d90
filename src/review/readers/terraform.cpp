// Terraform's vSphere provider, native syntax and JSON: a class of VM Service with its vGPUs, and a
// VM with the cards that it is tied to.
//
// Source: hashicorp/terraform-provider-vsphere, docs/resources/virtual_machine_class.md and
// virtual_machine.md: memory in MB, a class's reservation in percent, a VM's in MB; pci_device_id
// names devices of one host.
#include <algorithm>
#include <array>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/vm_devices.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr double kTerraformMebibyte = 1024.0 * 1024;
constexpr double kAll = 100;  // percent

std::optional<Located<double>> mebibytes_at(const Node& body, std::string_view field) {
  auto amount = quantity_at(body, {field});
  if (amount) amount->value *= kTerraformMebibyte;
  return amount;
}

/// A class: title "VM class", devices by the names of their profiles.
void read_class(const document::Document& document, const Node& body, std::string_view name,
                Deployment& deployment) {
  VmClass vm;
  vm.document = &document;
  vm.root = &body;
  vm.name = word_at(body, {"name"});
  if (vm.name.empty()) vm.name = name;
  vm.cpus = integer_at(body, {"cpus"});
  vm.memory_bytes = mebibytes_at(body, "memory");
  const auto reserved = quantity_at(body, {"memory_reservation"});
  vm.memory_is_locked = reserved && reserved->value >= kAll;
  if (reserved && vm.memory_bytes && !vm.memory_is_locked) {
    vm.memory_request_bytes =
        Located<double>{vm.memory_bytes->value * reserved->value / kAll, reserved->node};
  }
  if (const Node* profiles = body.find("vgpu_devices")) {
    for (const Node& row : profiles->items()) {
      vm.devices.push_back(vgpu_device(word_of(row), row, deployment.request->devices));
      vm.listed_profiles.push_back({word_of(row), &row});
    }
  }
  deployment.vm_classes.push_back(std::move(vm));
}

/// A VM: the address of a card says nothing of its product.
void read_machine(const document::Document& document, const Node& body, std::string_view name,
                  Deployment& deployment) {
  VmClass vm;
  vm.document = &document;
  vm.root = &body;
  vm.source = VmSource::ConfigSpec;
  vm.name = word_at(body, {"name"});
  if (vm.name.empty()) vm.name = name;
  vm.cpus = integer_at(body, {"num_cpus"});
  vm.memory_bytes = mebibytes_at(body, "memory");
  vm.memory_reservation_mib = quantity_at(body, {"memory_reservation"});
  vm.memory_is_locked = is_set(body, {"memory_reservation_locked_to_max"});
  vm.firmware = text_at(body, {"firmware"});
  vm.cpu_hot_add = flag_at(body, {"cpu_hot_add_enabled"});
  vm.cores_per_socket = integer_at(body, {"num_cores_per_socket"});
  if (const Node* options = body.find("extra_config")) {
    for (const Node::Entry& entry : options->entries()) {
      vm.options.push_back({entry.name, word_of(entry.value), &entry.value});
    }
  }
  if (const Node* addresses = body.find("pci_device_id")) {
    for (const Node& row : addresses->items()) vm.devices.push_back({&row, {}, nullptr});
    // An expression: one card at least.
    if (!addresses->text().empty()) vm.devices.push_back({addresses, {}, nullptr});
  }
  deployment.vm_classes.push_back(std::move(vm));
}

using ReadResource = void (*)(const document::Document&, const Node&, std::string_view,
                              Deployment&);

/// `resource "TYPE" "NAME" { … }`; one that is written twice is a sequence.
void read_resources(const Object& object, std::string_view type, ReadResource read,
                    Deployment& deployment) {
  const Node* named = at(*object.root, {"resource", type});
  if (named == nullptr) return;
  for (const Node::Entry& entry : named->entries()) {
    if (entry.value.is(Node::Kind::Mapping)) {
      read(*object.document, entry.value, entry.name, deployment);
    }
    for (const Node& row : entry.value.items()) {
      read(*object.document, row, entry.name, deployment);
    }
  }
}

}  // namespace

bool is_terraform(const Node& root) {
  constexpr auto kBlocks = std::to_array<std::string_view>(
      {"resource", "data", "variable", "output", "locals", "module", "provider", "terraform",
       "moved", "import", "removed", "check"});
  return root.is(Node::Kind::Mapping) && !root.entries().empty() &&
         std::ranges::all_of(root.entries(), [&](const Node::Entry& entry) {
           return std::ranges::find(kBlocks, entry.name) != kBlocks.end();
         });
}

void read_terraform(const Object& object, Deployment& deployment) {
  read_resources(object, "vsphere_virtual_machine_class", read_class, deployment);
  read_resources(object, "vsphere_virtual_machine", read_machine, deployment);
}

}  // namespace gpushape::review
