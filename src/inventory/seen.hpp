// What the files of real systems show, before it is a Cluster: hosts and GPUs as they are printed
// there, and who holds what. Several files may tell of one host; each source adds what it knows.
//
// Made by the sources (one file each), joined and turned into a Cluster by seen_cluster.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "domain/cluster.hpp"

namespace gpushape::inventory {

/// Looks up a device by a product name as a system prints it.
using FindDevice = std::function<Result<domain::Device>(std::string_view)>;

/// Something that the files show and the Cluster does not hold, and why; or an assumption.
struct ImportNote {
  std::string says;
  SourceSpan span;
};

struct SeenGpu {
  std::string name;         ///< as the system counts it: "gpu-0", "0"; may be empty
  std::string product;      ///< as printed; empty: this file does not tell
  std::string uuid;         ///< empty: not told, as all the others
  std::string pci_address;  ///< "0000:3b:00.0"
  std::string pci_device;   ///< "10de:2330"
  std::optional<int> numa_node;
  std::vector<domain::GpuMode> modes;  ///< empty: not told
  std::string label;
  std::vector<std::string> holders;  ///< references of the workloads on it
  bool has_failed = false;
  std::string kept_out;  ///< why it is no GPU of the inventory; empty: it is one
  SourceSpan span;
};

/// One thing that a workload holds.
struct SeenHolding {
  std::string gpu = {};  ///< name, UUID or PCI address of the GPU; empty: any of the host
  domain::GpuUse use = domain::GpuUse::Passthrough;
  std::string profile = {};  ///< as printed; empty for a whole device, or where `memory` tells it
  /// Of a MIG instance whose profile is not named.
  std::optional<Bytes> memory = {};
  std::optional<std::int64_t> multiprocessors = {};
  std::optional<int> start = {};  ///< absent: not told
  bool is_static = false;         ///< passthrough bound to the address
  bool is_device_bound = false;   ///< would not run on another product
  /// Set: no part of the device but a share that software keeps.
  std::optional<domain::SoftwareShare> share = {};

  [[nodiscard]] bool takes_whole() const { return profile.empty() && !memory; }
};

struct SeenWorkload {
  std::string name;
  std::string id;         ///< UUID of a VM, as providerID of a node names it
  std::string reference;  ///< by which its system refers to it: "vm-71"
  std::string host;       ///< name, or reference
  std::string team;
  std::int64_t millicores = 0;
  std::int64_t reserved_mhz = 0;
  Bytes memory_bytes;
  std::vector<SeenHolding> holdings;
  bool can_move = true;
  std::string label;
  SourceSpan span;
};

/// Host figures are absent where the file does not tell them.
struct SeenHost {
  std::string name;
  std::string own_name;  ///< that the file itself gives the host
  std::optional<domain::HostState> state;
  std::optional<std::int64_t> millicores;
  std::int64_t used_millicores = 0;
  std::optional<std::int64_t> mhz;
  std::int64_t used_mhz = 0;
  std::optional<Bytes> memory_bytes;
  Bytes used_memory_bytes;
  std::optional<domain::NumaLayout> numa;
  std::optional<domain::Host> hardware;
  std::vector<SeenGpu> gpus;
  bool gpus_are_complete = false;  ///< false: facts about GPUs that another file lists
  /// Pairs of GPUs, by position, with links between them.
  std::vector<std::pair<int, int>> linked;
  std::vector<std::string> datastores;
  std::vector<std::string> networks;
  bool knows_datastores = false;
  bool knows_networks = false;
  std::string unit_profile;  ///< MIG profile that the device plugin hands out as one GPU
  int replicas = 1;          ///< shares of one GPU that it hands out as one
  std::string machine_id;    ///< of a node that is a VM: the UUID of that VM
  SourceSpan span;
};

/// A name that stands for a GPU or a part of one, as a ResourceSlice lists them.
struct SeenPart {
  std::string host;
  std::string name;
  std::string gpu;      ///< UUID
  std::string profile;  ///< empty: the whole device
  std::optional<int> start;
};

struct Seen {
  std::string name;
  std::vector<SeenHost> hosts;
  std::vector<SeenPart> parts;
  std::map<std::string, std::string> host_names;  ///< by reference
  std::set<std::string> fixed_profiles;           ///< whose VMs do not migrate
  std::vector<SeenWorkload> workloads;
  std::vector<ImportNote> notes;

  void note(std::string says, SourceSpan span) {
    notes.push_back({std::move(says), std::move(span)});
  }
};

struct Imported {
  domain::Cluster cluster;
  std::vector<ImportNote> notes;
};

/// "00000000:3B:00.0", "0000:003b:00.0" and "3b:00.0" as "0000:3b:00.0"; empty where it is no PCI
/// address.
std::string pci_address_of(std::string_view text);

/// Hosts of one name become one; a file that tells of GPUs by PCI address or position adds to those
/// that another lists. A node that is a VM of the same import gets its server.
Result<Imported> cluster_of(Seen seen, const FindDevice& find);

}  // namespace gpushape::inventory
