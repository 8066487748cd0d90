// A server model as the VM contract needs it (one per host model, not per host), and as an
// inventory lists it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace gpushape::domain {

struct HostGpu {
  std::string id;      ///< "gpu0", a PCI address …
  std::string device;  ///< device id of the profile tables
  int numa_node = 0;
  int link_domain = -1;     ///< GPUs with the same number reach each other over NVLink; -1: none
  std::string pcie_switch;  ///< devices with the same name share a switch; empty: not known

  bool operator==(const HostGpu&) const = default;
};

struct HostNic {
  std::string id;
  double gigabits_per_second = 0;
  int numa_node = 0;
  std::string pcie_switch;

  bool operator==(const HostNic&) const = default;
};

struct Host {
  std::string name;
  int sockets = 2;
  int cores_per_socket = 0;
  int threads_per_core = 2;
  int base_mhz = 0;
  int numa_nodes_per_socket = 1;
  Bytes memory_bytes;
  std::vector<HostGpu> gpus;
  std::vector<HostNic> nics;
  std::string release;       ///< vSphere or VCF release, "8.0 U3", "VCF 9.0"; empty: not vSphere
  int hardware_version = 0;  ///< highest VM hardware version; 0: not known
  double vmotion_gigabits_per_second = 0;
  std::string source;               ///< file, or why this server stands in for the user's
  std::optional<int> vgpus_per_vm;  ///< limit that the host itself reports

  bool operator==(const Host&) const = default;
};

}  // namespace gpushape::domain
