#include "review/vm_class.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "domain/profile_memory.hpp"
#include "review/vm_devices.hpp"

namespace gpushape::review {

using document::Node;
using domain::Device;
using domain::Profile;
using domain::Technology;

namespace {

constexpr std::string_view kGroup = "vmoperator.vmware.com/";
constexpr double kMebibyte = 1024.0 * 1024;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

const Device* product_of_profile(std::string_view name, std::span<const Device> devices) {
  const auto is_it = [name](const Profile& profile) {
    return profile.technology != Technology::Mig && is_same_word(profile.name, name);
  };
  const auto has_it = [&is_it](const Device& device) {
    return std::ranges::any_of(device.profiles, is_it);
  };
  const auto device = std::ranges::find_if(devices, has_it);
  if (device != devices.end()) return &*device;
  // The tables hold the types for compute; the others of a product ("nvidia_l40s-24q") begin alike.
  const std::string_view stem = name.substr(0, name.find('-') + 1);
  const auto begins_alike = [stem](const Profile& profile) {
    return profile.technology != Technology::Mig && profile.name.size() > stem.size() &&
           is_same_word(std::string_view(profile.name).substr(0, stem.size()), stem);
  };
  const Device* found = nullptr;
  for (const Device& each : devices) {
    if (stem.empty() || !std::ranges::any_of(each.profiles, begins_alike)) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

/// PCI ids are decimal in a class and hexadecimal in the tables. Two products may share one: the
/// smaller is taken, so that no finding rests on the larger.
const Device* product_of_ids(std::int64_t vendor, std::int64_t id,
                             std::span<const Device> devices) {
  const auto is_number = [](const std::string& hexadecimal, std::int64_t number) {
    std::int64_t value = -1;
    std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), value, 16);
    return value == number;
  };
  const Device* found = nullptr;
  for (const Device& device : devices) {
    const bool is_it = is_number(device.pci_vendor, vendor) &&
                       std::ranges::any_of(device.pci_devices, [&](const std::string& candidate) {
                         return is_number(candidate, id);
                       });
    if (is_it && (found == nullptr || device.nominal_gb < found->nominal_gb)) found = &device;
  }
  return found;
}

std::vector<Located<std::string>> listed_profiles(const Node& hardware) {
  std::vector<Located<std::string>> found;
  if (const Node* vgpus = at(hardware, {"devices", "vgpuDevices"})) {
    for (const Node& vgpu : vgpus->items()) {
      if (const auto name = text_at(vgpu, {"profileName"})) found.push_back(*name);
    }
  }
  return found;
}

std::vector<VmDevice> devices_of_hardware(const Node& hardware, std::span<const Device> devices) {
  std::vector<VmDevice> found;
  for (const Located<std::string>& name : listed_profiles(hardware)) {
    found.push_back({name.node, name.value, product_of_profile(name.value, devices)});
  }
  if (const Node* passed = at(hardware, {"devices", "dynamicDirectPathIODevices"})) {
    for (const Node& device : passed->items()) {
      const auto vendor = integer_at(device, {"vendorID"});
      const auto id = integer_at(device, {"deviceID"});
      if (!vendor || !id) continue;
      VmDevice row{id->node, {}, product_of_ids(vendor->value, id->value, devices)};
      row.label = word_at(device, {"customLabel"});
      found.push_back(std::move(row));
    }
  }
  return found;
}

/// A static device says its id as a hexadecimal text, and an export its vendor as a signed short.
const Device* product_of_static(const Node& backing, std::span<const Device> devices) {
  const std::string text = word_at(backing, {"deviceId"});
  const std::size_t from = text.starts_with("0x") ? 2 : 0;
  std::int64_t id = -1;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + from, end, id, 16).ptr != end) return nullptr;
  const auto vendor = integer_at(backing, {"vendorId"});
  return vendor ? product_of_ids(vendor->value & 0xffff, id, devices) : nullptr;
}

/// The device behind a backing; nothing where it is no PCI device.
std::optional<VmDevice> device_of_backing(const Node& backing, std::span<const Device> devices) {
  if (const auto profile = text_at(backing, {"vgpu"})) {
    return VmDevice{profile->node, profile->value, product_of_profile(profile->value, devices)};
  }
  if (const Node* allowed = backing.find("allowedDevice")) {
    for (const Node& row : allowed->items()) {  // one device, whichever of the allowed
      const auto vendor = integer_at(row, {"vendorId"});
      const auto id = integer_at(row, {"deviceId"});
      if (!vendor || !id) continue;
      VmDevice device{id->node, {}, product_of_ids(vendor->value, id->value, devices)};
      device.label = word_at(backing, {"customLabel"});
      return device;
    }
    return std::nullopt;
  }
  const auto address = text_at(backing, {"id"});
  if (!address || backing.find("deviceId") == nullptr) return std::nullopt;
  VmDevice device{address->node, {}, product_of_static(backing, devices)};
  // What is no known GPU may be a network card.
  if (device.product == nullptr) return std::nullopt;
  device.address = address->value;
  return device;
}

/// `deviceChange[].device` of a specification, `hardware.device[]` of an export.
std::vector<VmDevice> devices_of_config(const Node& config, std::span<const Device> devices) {
  std::vector<VmDevice> found;
  const Node* changes = config.find("deviceChange");
  if (changes == nullptr) changes = at(config, {"hardware", "device"});
  if (changes == nullptr) return found;
  for (const Node& change : changes->items()) {
    const Node* own = at(change, {"device"});
    if (own == nullptr) own = &change;
    const Node* backing = own->find("backing");
    if (backing == nullptr) continue;
    if (auto device = device_of_backing(*backing, devices)) {
      device->numa_node = integer_at(*own, {"numaNode"});
      found.push_back(std::move(*device));
    }
  }
  return found;
}

std::vector<ExtraOption> options_of(const Node& config) {
  std::vector<ExtraOption> found;
  const Node* rows = config.find("extraConfig");
  if (rows == nullptr) return found;
  for (const Node& row : rows->items()) {
    const auto key = text_at(row, {"key"});
    auto value = text_at(row, {"value", "_value"});
    if (!value) value = text_at(row, {"value"});
    if (!key) continue;
    found.push_back({key->value, value ? value->value : std::string(), key->node,
                     value ? value->node : nullptr});
  }
  return found;
}

void read_config(const Node& config, VmClass& vm) {
  vm.memory_is_locked = is_set(config, {"memoryReservationLockedToMax"});
  vm.memory_reservation_mib = quantity_at(config, {"memoryAllocation", "reservation"});
  vm.cpu_reservation_mhz = quantity_at(config, {"cpuAllocation", "reservation"});
  vm.firmware = text_at(config, {"firmware"});
  vm.hardware_version = text_at(config, {"version"});
  vm.cpu_hot_add = flag_at(config, {"cpuHotAddEnabled"});
  vm.nodes_shown_on_hot_add = is_set(config, {"virtualNuma", "exposeVnumaOnCpuHotadd"});
  vm.cores_per_socket = integer_at(config, {"numCoresPerSocket"});
  vm.cores_per_node = integer_at(config, {"virtualNuma", "coresPerNumaNode"});
  vm.options = options_of(config);
}

}  // namespace

const Node& VmClass::place() const {
  const Node* named = at(*root, {"metadata", "name"});
  if (named == nullptr) named = root->find("name");
  return named == nullptr ? *root : *named;
}

const ExtraOption* VmClass::option(std::string_view key) const {
  const auto has_key = [key](const ExtraOption& option) { return is_same_word(option.key, key); };
  const auto found = std::ranges::find_if(options, has_key);
  return found == options.end() ? nullptr : &*found;
}

const domain::Profile* profile_of_device(const VmDevice& device) {
  if (device.product == nullptr || device.profile.empty()) return nullptr;
  for (const domain::Profile& profile : device.product->profiles) {
    if (domain::is_named(profile, device.profile)) return &profile;
  }
  return nullptr;
}

VmDevice vgpu_device(std::string profile, const Node& node, std::span<const Device> devices) {
  const Device* product = product_of_profile(profile, devices);
  return {&node, std::move(profile), product};
}

std::string VmClass::annotation(std::string_view key) const {
  const Node* rows = at(*root, {"metadata", "annotations"});
  const Node* row = rows == nullptr ? nullptr : rows->find(key);
  return row == nullptr ? std::string() : word_of(*row);
}

std::string title_of(const VmClass& vm) {
  return std::string(vm.source == VmSource::Class ? "VM class '" : "VM '") + vm.name + "'";
}

VmClass read_config_spec(const document::Document& document, const Node& root,
                         std::span<const Device> devices) {
  VmClass vm;
  vm.document = &document;
  vm.root = &root;
  vm.source = VmSource::ConfigSpec;
  vm.name = word_at(root, {"name"});
  vm.cpus = integer_at(root, {"numCPUs"});
  if (auto memory = quantity_at(root, {"memoryMB"})) {
    vm.memory_bytes = Located<double>{memory->value * kMebibyte, memory->node};
  }
  read_config(root, vm);
  vm.devices = devices_of_config(root, devices);
  return vm;
}

VmClass read_vm_export(const document::Document& document, const Node& root,
                       std::span<const Device> devices) {
  const Node& config = *root.find("config");
  VmClass vm = read_config_spec(document, config, devices);
  vm.source = VmSource::Export;
  if (vm.name.empty()) vm.name = word_at(root, {"name"});
  vm.cpus = integer_at(config, {"hardware", "numCPU"});
  if (auto memory = quantity_at(config, {"hardware", "memoryMB"})) {
    vm.memory_bytes = Located<double>{memory->value * kMebibyte, memory->node};
  }
  vm.cores_per_socket = integer_at(config, {"hardware", "numCoresPerSocket"});
  return vm;
}

std::optional<VmClass> read_vm_class(const document::Document& document, const Node& root,
                                     std::span<const Device> devices) {
  const auto version = text_at(root, {"apiVersion"});
  const auto kind = text_at(root, {"kind"});
  if (!version || !kind || !version->value.starts_with(kGroup) ||
      kind->value != "VirtualMachineClass") {
    return std::nullopt;
  }
  VmClass vm;
  vm.document = &document;
  vm.root = &root;
  vm.version = version->value.substr(kGroup.size());
  if (const auto name = text_at(root, {"metadata", "name"})) vm.name = name->value;
  vm.cpus = integer_at(root, {"spec", "hardware", "cpus"});
  vm.memory_bytes = quantity_at(root, {"spec", "hardware", "memory"});
  vm.memory_request_bytes =
      quantity_at(root, {"spec", "policies", "resources", "requests", "memory"});
  vm.cpu_request = quantity_at(root, {"spec", "policies", "resources", "requests", "cpu"});
  const Node* hardware = at(root, {"spec", "hardware"});
  if (hardware != nullptr) vm.listed_profiles = listed_profiles(*hardware);
  const Node* config = at(root, {"spec", "configSpec"});
  if (config != nullptr && !config->entries().empty()) {
    read_config(*config, vm);
    vm.devices = devices_of_config(*config, devices);
  } else if (hardware != nullptr) {
    vm.devices = devices_of_hardware(*hardware, devices);
  }
  return vm;
}

}  // namespace gpushape::review
