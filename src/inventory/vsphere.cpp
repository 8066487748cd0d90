// Hosts and VMs of vSphere: hardware, graphics devices with their vGPU mode, PCI devices that are
// passed through, and what the running VMs hold. Source of the property names: vSphere Web Services
// API, HostSystem, VirtualMachine, HostGraphicsInfo, HostPciPassthruInfo.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include "document/text_format.hpp"
#include "inventory/document_header.hpp"
#include "inventory/import.hpp"
#include "inventory/kubernetes_fields.hpp"
#include "inventory/vsphere_objects.hpp"

namespace gpushape::inventory {

using document::Node;
using domain::GpuMode;

namespace {

constexpr std::int64_t kNvidia = 0x10de;
constexpr std::int64_t kDisplayClass = 0x03;
constexpr std::int64_t kSixteenBits = 0xffff;  // vendor and device ids are signed shorts
constexpr std::int64_t kMostMibOfVm = std::int64_t{1} << 40;
constexpr std::int64_t kMostMhz = 1'000'000'000;
constexpr std::size_t kMostGpusOfEsx = 64;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

const std::vector<Node>& items_of(const Node* node) {
  static const std::vector<Node> kNone;
  return node == nullptr ? kNone : node->items();
}

std::int64_t integer_of(const Node* node) {
  return node != nullptr && node->is(Node::Kind::Integer) ? node->integer() : 0;
}

/// "8.0.3" is 8.0 U3; from 9 on the release is VCF's.
std::string release_of(const std::string& version) {
  const std::size_t first = version.find('.');
  const std::size_t second = first == std::string::npos ? first : version.find('.', first + 1);
  if (second == std::string::npos) return {};
  const std::string base = version.substr(0, second);
  if (first > 1 || version.front() >= '9') return fmt::format("VCF {}", base);
  const std::string update = version.substr(second + 1);
  return update == "0" ? base : fmt::format("{} U{}", base, update);
}

GpuMode mode_of(const std::string& vgpu_mode) {
  if (vgpu_mode == "mixedSize") return GpuMode::MixedSize;
  return vgpu_mode == "multiInstanceGpu" ? GpuMode::Mig : GpuMode::SameSize;
}

class VsphereReader {
 public:
  VsphereReader(const document::Document& document, Seen& seen)
      : source_(*document.source), objects_(managed_objects(document.root)), seen_(seen) {}

  Diagnostics run() {
    for (const ManagedObject& object : objects_) {
      names_[object.id] = object.text("name");
      if (object.type != "HostSystem") continue;
      const std::string name = host_name(object);
      if (!object.id.empty()) seen_.host_names[object.id] = name;
      collect_capabilities(object);
    }
    int known = 0;
    for (const ManagedObject& object : objects_) {
      if (object.type == "HostSystem") read_host(object);
      if (object.type == "HostSystem" || object.type == "VirtualMachine") ++known;
    }
    for (const ManagedObject& object : objects_) {
      if (object.type == "VirtualMachine") read_vm(object);
    }
    if (known == 0 && faults_.empty()) {
      faults_.push_back(
          source_.diagnostic({.line = 1, .column = 1}, "holds no HostSystem and no VirtualMachine",
                             "make it with govc object.collect -json -type h / and -type m /"));
    }
    return std::move(faults_);
  }

 private:
  static std::string host_name(const ManagedObject& host) {
    for (const std::string_view path : {"name", "summary.config.name"}) {
      if (std::string name = host.text(path); !name.empty()) return name;
    }
    return host.id.empty() ? std::string("unnamed host") : host.id;
  }

  void complain(const ManagedObject& object, std::string message) {
    faults_.push_back(source_.diagnostic(object.position(), std::move(message)));
  }

  /// vGPU types that do not migrate.
  void collect_capabilities(const ManagedObject& host) {
    for (const Node& row : items_of(host.get("config.sharedGpuCapabilities"))) {
      const Node* const migrates = field_of(&row, "migrateSupported");
      if (migrates != nullptr && migrates->is(Node::Kind::Boolean) && !migrates->boolean()) {
        seen_.fixed_profiles.insert(text_of(field_of(&row, "vgpu")));
      }
    }
  }

  static std::int64_t first_of(const ManagedObject& object,
                               std::initializer_list<std::string_view> paths) {
    for (const std::string_view path : paths) {
      if (const std::int64_t value = object.integer(path); value > 0) return value;
    }
    return 0;
  }

  void read_host(const ManagedObject& object) {
    SeenHost host;
    host.name = host_name(object);
    host.span = source_.span(object.position());
    const std::string connection = object.text("runtime.connectionState");
    host.state = domain::HostState::Up;
    if (!connection.empty() && connection != "connected") host.state = domain::HostState::Failed;
    if (object.is_true("runtime.inMaintenanceMode")) host.state = domain::HostState::Maintenance;
    host.hardware = hardware_of(object, host.name);
    host.gpus_are_complete = true;
    read_graphics(object, host);
    read_pci(object, host);
    read_reach(object, host);
    seen_.hosts.push_back(std::move(host));
  }

  std::optional<domain::Host> hardware_of(const ManagedObject& object, const std::string& name) {
    const std::int64_t sockets =
        first_of(object, {"hardware.cpuInfo.numCpuPackages", "summary.hardware.numCpuPkgs"});
    const std::int64_t cores =
        first_of(object, {"hardware.cpuInfo.numCpuCores", "summary.hardware.numCpuCores"});
    const std::int64_t threads =
        first_of(object, {"hardware.cpuInfo.numCpuThreads", "summary.hardware.numCpuThreads"});
    const std::int64_t memory =
        first_of(object, {"hardware.memorySize", "summary.hardware.memorySize"});
    constexpr std::int64_t kHertzPerMhz = 1'000'000;
    const std::int64_t hertz = object.integer("hardware.cpuInfo.hz");
    const std::int64_t mhz = hertz > 0 ? (hertz + kHertzPerMhz / 2) / kHertzPerMhz
                                       : object.integer("summary.hardware.cpuMhz");
    if (sockets == 0 || cores == 0 || memory == 0 || mhz == 0) return std::nullopt;
    const bool is_sane = sockets <= kSockets.most && cores % sockets == 0 &&
                         cores / sockets <= kCoresPerSocket.most && mhz >= kMegahertz.least &&
                         mhz <= kMegahertz.most && Bytes(memory) <= kMostMemory;
    if (!is_sane) {
      complain(object, fmt::format("{}: {} sockets, {} cores, {} MHz and {} bytes are no server",
                                   name, sockets, cores, mhz, memory));
      return std::nullopt;
    }
    domain::Host hardware;
    hardware.sockets = static_cast<int>(sockets);
    hardware.cores_per_socket = static_cast<int>(cores / sockets);
    hardware.threads_per_core = threads >= 2 * cores ? 2 : 1;
    hardware.base_mhz = static_cast<int>(mhz);
    hardware.memory_bytes = Bytes(memory);
    const std::int64_t nodes = object.integer("hardware.numaInfo.numNodes");
    if (nodes > sockets && nodes % sockets == 0 && nodes / sockets <= kNodesPerSocket.most) {
      hardware.numa_nodes_per_socket = static_cast<int>(nodes / sockets);
    }
    for (const std::string_view path :
         {"config.product.version", "summary.config.product.version"}) {
      if (hardware.release.empty()) hardware.release = release_of(object.text(path));
    }
    return hardware;
  }

  void read_graphics(const ManagedObject& object, SeenHost& host) {
    std::map<std::string, const Node*> configured;
    for (const Node& row : items_of(object.get("config.graphicsConfig.deviceType"))) {
      configured[text_of(field_of(&row, "deviceId"))] = &row;
    }
    for (const Node& row : items_of(object.get("config.graphicsInfo"))) {
      const std::string id = text_of(field_of(&row, "pciId"));
      const std::string vendor = lower(text_of(field_of(&row, "vendorName")));
      if (!vendor.empty() && vendor.find("nvidia") == std::string::npos) continue;
      if (host.gpus.size() == kMostGpusOfEsx) return;
      SeenGpu gpu;
      gpu.name = id;
      gpu.product = text_of(field_of(&row, "deviceName"));
      gpu.pci_address = pci_address_of(id);
      gpu.span = source_.span(row.position());
      const std::string type = text_of(field_of(&row, "graphicsType"));
      std::string mode = text_of(field_of(&row, "vgpuMode"));
      if (const auto set = configured.find(id);
          set != configured.end() && (mode.empty() || mode == "none")) {
        mode = text_of(field_of(set->second, "vgpuMode"));
      }
      if (type == "sharedDirect") {
        gpu.modes = {mode_of(mode)};
      } else if (type == "direct") {
        gpu.modes = {GpuMode::Passthrough};
      } else {
        gpu.kept_out = fmt::format(
            "its graphics type is '{}', which serves no vGPU; set it to Shared Direct", type);
      }
      for (const Node& vm : items_of(field_of(&row, "vm"))) {
        gpu.holders.push_back(text_of(field_of(&vm, "value")));
      }
      host.gpus.push_back(std::move(gpu));
    }
  }

  /// GPUs that are passed through stand among the PCI devices alone.
  void read_pci(const ManagedObject& object, SeenHost& host) {
    std::map<std::string, const Node*> passed;
    for (const Node& row : items_of(object.get("config.pciPassthruInfo"))) {
      const Node* const enabled = field_of(&row, "passthruEnabled");
      if (enabled != nullptr && enabled->boolean()) {
        passed[text_of(field_of(&row, "id"))] = &row;
      }
    }
    for (const Node& row : items_of(object.get("hardware.pciDevice"))) {
      const std::int64_t vendor = integer_of(field_of(&row, "vendorId")) & kSixteenBits;
      const std::int64_t kind = integer_of(field_of(&row, "classId")) & kSixteenBits;
      if (vendor != kNvidia || kind >> 8U != kDisplayClass) continue;
      const std::string id = text_of(field_of(&row, "id"));
      const std::string address = pci_address_of(id);
      const std::int64_t device = integer_of(field_of(&row, "deviceId")) & kSixteenBits;
      const auto known = std::ranges::find(host.gpus, address, &SeenGpu::pci_address);
      const bool is_known = known != host.gpus.end();
      const auto pass = passed.find(id);
      if (!is_known && (pass == passed.end() || host.gpus.size() == kMostGpusOfEsx)) continue;
      SeenGpu& gpu = is_known ? *known : host.gpus.emplace_back();
      gpu.pci_device = fmt::format("{:04x}:{:04x}", vendor, device);
      if (is_known && pass == passed.end()) continue;
      gpu.name = id;
      gpu.pci_address = address;
      if (gpu.product.empty()) gpu.product = text_of(field_of(&row, "deviceName"));
      gpu.span = source_.span(row.position());
      gpu.modes = {GpuMode::Passthrough};
      gpu.kept_out.clear();
      gpu.label = text_of(field_of(pass->second, "hardwareLabel"));
    }
    read_numa(object, host);
  }

  void read_numa(const ManagedObject& object, SeenHost& host) {
    for (const Node& row : items_of(object.get("hardware.numaInfo.numaNode"))) {
      const Node* const type = field_of(&row, "typeId");
      if (type == nullptr || type->integer() < 0 || type->integer() >= 1024) continue;
      for (const Node& id : items_of(field_of(&row, "pciId"))) {
        const std::string address = pci_address_of(text_of(&id));
        const auto gpu = std::ranges::find(host.gpus, address, &SeenGpu::pci_address);
        if (gpu != host.gpus.end()) gpu->numa_node = static_cast<int>(type->integer());
      }
    }
  }

  /// Datastores and networks by name, where the export holds those objects.
  void read_reach(const ManagedObject& object, SeenHost& host) {
    const auto take_names = [&](const char* property, std::vector<std::string>& names) {
      const std::vector<Node>& references = items_of(object.get(property));
      for (const Node& reference : references) {
        const auto name = names_.find(text_of(field_of(&reference, "value")));
        if (name == names_.end() || name->second.empty()) return false;
        names.push_back(name->second);
      }
      return !references.empty();
    };
    host.knows_datastores = take_names("datastore", host.datastores);
    if (!host.knows_datastores) host.datastores.clear();
    host.knows_networks = take_names("network", host.networks);
    if (!host.knows_networks) host.networks.clear();
  }

  void read_vm(const ManagedObject& object) {
    if (object.text("runtime.powerState") != "poweredOn") return;
    SeenWorkload vm;
    vm.name = object.text("name");
    if (vm.name.empty()) vm.name = object.text("config.name");
    if (vm.name.empty()) vm.name = object.id.empty() ? std::string("unnamed VM") : object.id;
    vm.id = lower(object.text("config.uuid"));
    vm.span = source_.span(object.position());
    vm.reference = object.id;
    vm.host = text_of(field_of(object.get("runtime.host"), "value"));
    const auto pool = names_.find(text_of(field_of(object.get("resourcePool"), "value")));
    if (pool != names_.end() && pool->second != "Resources") vm.team = pool->second;
    read_devices(object, vm);
    read_reservations(object, vm);
    seen_.workloads.push_back(std::move(vm));
  }

  void read_reservations(const ManagedObject& object, SeenWorkload& vm) {
    const std::int64_t mhz = first_of(
        object, {"config.cpuAllocation.reservation", "resourceConfig.cpuAllocation.reservation"});
    vm.reserved_mhz = std::min(mhz, kMostMhz);
    const std::int64_t size =
        first_of(object, {"config.hardware.memoryMB", "summary.config.memorySizeMB"});
    const std::int64_t reserved = first_of(object, {"config.memoryAllocation.reservation",
                                                    "resourceConfig.memoryAllocation.reservation"});
    // A VM with a passed-through device or a vGPU has all of its memory reserved.
    const bool is_locked =
        !vm.holdings.empty() || object.is_true("config.memoryReservationLockedToMax");
    vm.memory_bytes = mib(std::clamp<std::int64_t>(is_locked ? size : reserved, 0, kMostMibOfVm));
  }

  void read_devices(const ManagedObject& object, SeenWorkload& vm) {
    for (const Node& device : items_of(object.get("config.hardware.device"))) {
      const Node* const backing = field_of(&device, "backing");
      if (backing == nullptr) continue;
      SeenHolding holding;
      holding.is_device_bound = true;
      const std::string kind = text_of(backing->find("_typeName"));
      if (const Node* const vgpu = field_of(backing, "vgpu")) {
        holding.use = domain::GpuUse::TimeSliced;
        holding.profile = text_of(vgpu);
      } else if (kind == "VirtualPCIPassthroughDynamicBackingInfo" ||
                 field_of(backing, "allowedDevice") != nullptr) {
        holding.gpu = pci_address_of(text_of(field_of(backing, "assignedId")));
        vm.label = text_of(field_of(backing, "customLabel"));
        vm.can_move = false;
        if (!is_gpu(backing)) continue;
      } else if (kind == "VirtualPCIPassthroughDeviceBackingInfo" ||
                 field_of(backing, "systemId") != nullptr) {
        const std::int64_t vendor = integer_of(field_of(backing, "vendorId")) & kSixteenBits;
        if (vendor != kNvidia) continue;
        holding.gpu = pci_address_of(text_of(field_of(backing, "id")));
        holding.is_static = true;
        vm.can_move = false;
      } else {
        continue;
      }
      vm.holdings.push_back(std::move(holding));
    }
  }

  /// Dynamic passthrough names the vendor of what it may take.
  static bool is_gpu(const Node* backing) {
    const std::vector<Node>& allowed = items_of(field_of(backing, "allowedDevice"));
    return allowed.empty() || std::ranges::any_of(allowed, [](const Node& device) {
             return (integer_of(field_of(&device, "vendorId")) & kSixteenBits) == kNvidia;
           });
  }

  const document::Source& source_;
  std::vector<ManagedObject> objects_;
  Seen& seen_;
  Diagnostics faults_;
  std::map<std::string, std::string> names_;  ///< of every object, by id
};

}  // namespace

bool is_vsphere(std::string_view text) {
  if (text.substr(0, 4096).find("apiVersion") != std::string_view::npos) return false;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{
          "\"HostSystem\"", "\"VirtualMachine\"", "\"hostSystems\"", "\"virtualMachines\"",
          "\"HostSystems\"", "\"VirtualMachines\"", "HostGraphicsInfo", "HostHardwareInfo"},
      [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

Diagnostics read_vsphere(const ImportFile& file, Seen& seen) {
  const Result<document::Document> document = document::read_json(file.text, file.name);
  if (!document) return document.error();
  return VsphereReader(*document, seen).run();
}

}  // namespace gpushape::inventory
