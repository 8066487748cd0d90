// A VirtualMachineClass as the rules read it: what VM Service would make of the document, each
// value with the node it stands on. A VM that was exported (VI JSON, govc), and a
// VirtualMachineConfigSpec, are read into the same form. Borrows the document.
//
// A configSpec that is not empty switches hardware.devices off; hardware.cpus and hardware.memory
// win over the configSpec (VM Operator, pkg/util: class_configspec_from_name).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "domain/device.hpp"
#include "review/fields.hpp"

namespace gpushape::review {

/// A PCI device that the class adds.
struct VmDevice {
  const document::Node* node = nullptr;
  std::string profile;                      ///< of a vGPU; empty for passthrough
  const domain::Device* product = nullptr;  ///< where the tables know it
  std::string address = {};                 ///< static DirectPath: bound to that PCI address
  std::string label = {};                   ///< dynamic DirectPath: customLabel; empty: none
  std::optional<Located<std::int64_t>> numa_node = std::nullopt;  ///< virtual node it is given to

  [[nodiscard]] bool is_passthrough() const { return profile.empty(); }
};

/// The profile row of a vGPU; nullptr for passthrough, or where the tables lack it.
const domain::Profile* profile_of_device(const VmDevice& device);

struct ExtraOption {
  std::string key;
  std::string value;
  const document::Node* node = nullptr;  ///< of the key
  const document::Node* value_node = nullptr;
};

enum class VmSource { Class, ConfigSpec, Export };

struct VmClass {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  VmSource source = VmSource::Class;
  std::string name;
  std::string version;  ///< "v1alpha2"; empty where there is no class
  std::optional<Located<std::int64_t>> cpus;
  std::optional<Located<double>> memory_bytes;
  std::optional<Located<double>> memory_request_bytes;
  std::optional<Located<double>> memory_reservation_mib;  ///< configSpec.memoryAllocation
  std::optional<Located<double>> cpu_request;             ///< cores that the class reserves
  std::optional<Located<double>> cpu_reservation_mhz;     ///< configSpec.cpuAllocation
  bool memory_is_locked = false;                          ///< memoryReservationLockedToMax
  std::optional<Located<std::string>> firmware;
  std::optional<Located<std::string>> hardware_version;  ///< "vmx-21"
  std::optional<Located<bool>> cpu_hot_add;
  bool nodes_shown_on_hot_add = false;  ///< exposeVnumaOnCpuHotadd
  std::optional<Located<std::int64_t>> cores_per_socket;
  std::optional<Located<std::int64_t>> cores_per_node;
  std::vector<VmDevice> devices;
  std::vector<ExtraOption> options;  ///< configSpec.extraConfig
  /// hardware.devices.vgpuDevices as written, also where a configSpec switches it off
  std::vector<Located<std::string>> listed_profiles;

  /// Where a finding about the class as a whole points: its name, or the document.
  [[nodiscard]] const document::Node& place() const;
  /// The first option of that key, letter case aside.
  [[nodiscard]] const ExtraOption* option(std::string_view key) const;
  /// Of the class or the VM: metadata.annotations.
  [[nodiscard]] std::string annotation(std::string_view key) const;
};

/// "VM class 'a100'", "VM 'llm-1'".
std::string title_of(const VmClass& vm);

/// A VirtualMachineConfigSpec in VI JSON.
VmClass read_config_spec(const document::Document& document, const document::Node& root,
                         std::span<const domain::Device> devices);
/// One VM as `govc vm.info -json` and the VI API print it: `config` with its hardware.
VmClass read_vm_export(const document::Document& document, const document::Node& root,
                       std::span<const domain::Device> devices);

/// Nothing where `root` is of another kind.
std::optional<VmClass> read_vm_class(const document::Document& document, const document::Node& root,
                                     std::span<const domain::Device> devices);

}  // namespace gpushape::review
