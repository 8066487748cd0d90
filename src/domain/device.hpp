// A GPU product and the rows of its profile table.
//
// Made by profiles from profiles/<vendor>/<device>.yaml or an overlay. Three different totals exist
// for one card and are kept apart: the nominal size of its name, what NVML prints, and what the
// CUDA runtime reports in a process.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/name_table.hpp"
#include "domain/fact.hpp"
#include "domain/range.hpp"

namespace gpushape::domain {

/// How a share of a device is delivered.
enum class Technology {
  TimeSliced,
  Mig,
  MigBackedVgpu,
  FullVgpu,
  Passthrough,
  WholeGpu,
  Mps,
  SoftwareShare,
  Partition
};

enum class GpuMode { SameSize, MixedSize, Mig, Passthrough };

/// One row of a profile table. "Profile" alone always means this.
struct Profile {
  std::string name;        ///< as the host lists it: "nvidia_h100xm-40c"; MIG: "3g.40gb"
  std::string type;        ///< driver type name: "H100XM-40C"; MIG: same as name
  std::string short_name;  ///< "40C", "3g.40gb"
  Technology technology =
      Technology::TimeSliced;    ///< TimeSliced, FullVgpu, Mig, MigBackedVgpu or Partition
  std::int64_t nominal_gib = 0;  ///< the number in the name
  Bytes frame_buffer_bytes;      ///< as documented, before any reservation
  Range visible_bytes;           ///< the total that CUDA reports to a process inside
  Bytes
      usable_bytes;  ///< frame buffer less the documented reservation: what the rules compare with
  std::string usable_source;
  std::int64_t max_per_gpu = 0;  ///< same-size mode, or of that MIG profile alone
  std::optional<std::int64_t> max_per_gpu_mixed;
  std::vector<std::int64_t> placement_ids;  ///< mixed-size starts, or MIG start slices
  std::int64_t placement_size = 0;
  std::int64_t compute_slices = 0;  ///< MIG: of Device::mig_compute_slices
  std::int64_t memory_slices = 0;
  std::optional<std::int64_t> multiprocessors;
  bool is_full_size = false;
  bool peer_to_peer = false;            ///< NVLink traffic is possible
  std::string mig_profile;              ///< instance that backs a MIG-backed vGPU
  std::vector<std::string> attributes;  ///< "me", "gfx" …
  std::string requires_release;         ///< extra release condition; empty for none
  std::string
      source;  ///< the fact of Device::fact_sources: "timeSliced", "mig", "migBacked", "partitions"
  bool frame_buffer_is_published = true;  ///< false: `frame_buffer_bytes` is the nominal size
  std::int64_t max_per_instance = 1;      ///< MIG-backed vGPUs that share one MIG instance
  std::optional<std::int64_t> mig_profile_id;
  std::vector<std::string> aliases;  ///< names that other driver branches give the same row
  bool is_name_derived = false;  ///< built from the driver's type name, not seen in a host's list

  bool operator==(const Profile&) const = default;
};

/// GPUs of one board that reach each other over NVLink (or the like).
struct LinkDomain {
  std::vector<int> gpus;  ///< positions on the board, from 0

  bool operator==(const LinkDomain&) const = default;
};

/// A usual server layout that a device comes on.
struct Board {
  std::string id;  ///< "hgx-h100-8"
  int gpus = 0;
  std::string interconnect;                    ///< "nvswitch", "nvlink-bridge", "pcie" …
  std::optional<double> gigabytes_per_second;  ///< per GPU, both directions
  std::vector<LinkDomain> link_domains;
  std::vector<int> partition_sizes;  ///< fabric partitions, ascending; a single GPU counts
  /// The partitions of two or more GPUs, where a source prints the table.
  std::vector<LinkDomain> partitions;
  std::vector<int> device_group_sizes;
  int sockets = 0;
  std::vector<std::string> devices;
  std::string source;
  int gpus_per_socket = 0;  ///< 0 where no source tells

  bool operator==(const Board&) const = default;
};

struct Nvlink {
  int generation = 0;
  std::optional<double> gigabytes_per_second;  ///< per GPU, both directions
  std::string kind;                            ///< "nvswitch", "bridge" … "none"
  int max_domain = 1;                          ///< also where no source names a larger one

  bool operator==(const Nvlink&) const = default;
};

/// Dense tensor peaks in tera-operations per second; absent: not supported, or not sourced.
struct TensorPeaks {
  std::optional<double> fp16;
  std::optional<double> bf16;
  std::optional<double> fp8;
  std::optional<double> fp4;
  std::optional<double> int8;

  bool operator==(const TensorPeaks&) const = default;
};

struct Device {
  std::string id;    ///< "h100-sxm-80"
  std::string name;  ///< for people: "NVIDIA H100 80GB HBM3"
  std::vector<std::string> aliases;
  std::string vendor;        ///< "nvidia"
  std::string architecture;  ///< "hopper"
  std::string form_factor;
  std::string pci_vendor;  ///< hex, "10de"
  std::vector<std::string> pci_devices;
  std::int64_t nominal_gb = 0;      ///< the number on the box
  std::optional<Bytes> nvml_bytes;  ///< total that nvidia-smi prints
  Range visible_bytes;              ///< total that the CUDA runtime reports on the whole device
  std::optional<Bytes> under_wsl_bytes;  ///< the same under WSL, where that is more
  std::string visible_source;       ///< the log, or the rule behind a wide interval
  bool error_correcting_outside_memory = false;  ///< ECC costs frame buffer: on and not HBM
  bool high_bandwidth_memory = false;
  std::optional<double> memory_gigabytes_per_second;
  std::optional<std::int64_t> multiprocessors;
  std::string compute_capability;  ///< "9.0"
  bool supports_bf16 = false;
  bool supports_fp8 = false;
  bool supports_fp4 = false;
  bool supports_int8 = false;
  Nvlink nvlink;
  std::optional<std::int64_t> mmio_gib;  ///< 64-bit MMIO space the vendor asks for per GPU
  std::optional<std::int64_t> bar1_gib;
  bool supports_mig = false;
  std::int64_t mig_compute_slices = 0;
  std::int64_t mig_memory_slices = 0;
  std::int64_t mig_max_instances = 0;
  bool supports_time_sliced = false;
  bool supports_mixed_size = false;
  std::int64_t mixed_region_gib = 0;  ///< length of the mixed-size placement axis
  std::vector<Profile> profiles;      ///< largest first within a technology
  std::vector<Board> boards;          ///< the usual one first
  /// What NVML prints and a ResourceSlice publishes as productName; one per PCI id and subsystem,
  /// empty where no source shows it. Two devices may share one ("NVIDIA H100").
  std::vector<std::string> product_names;
  std::vector<FactSource> fact_sources;  ///< in the order of the file
  std::vector<std::string> notes;
  TensorPeaks tensor_peaks;
  std::optional<std::int64_t> watts;  ///< of the whole board where it carries several GPUs
  std::int64_t gpus_per_board = 1;    ///< GPUs of one add-in card
  std::string several_vgpus_per_vm;   ///< "any" C profile, "kvm-only"; empty: not listed
  /// Only where CPU and GPU share one memory: what of the total is free when an engine starts on an
  /// otherwise idle machine. The rest is the operating system's and its page cache's.
  std::optional<Range> free_at_start;
  std::int64_t partition_dies = 0;  ///< compute dies that partitions are made of; 0: none

  bool operator==(const Device&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::Technology> = std::to_array<NameRow<domain::Technology>>({
    {domain::Technology::TimeSliced, "time-sliced",
     "a vGPU with its own frame buffer, cores shared in turn"},
    {domain::Technology::Mig, "mig", "a hardware instance, without a vGPU"},
    {domain::Technology::MigBackedVgpu, "mig-backed-vgpu", "a vGPU that owns a MIG instance"},
    {domain::Technology::FullVgpu, "full-vgpu", "a vGPU with the whole frame buffer"},
    {domain::Technology::Passthrough, "passthrough", "the device itself, through DirectPath I/O"},
    {domain::Technology::WholeGpu, "whole-gpu", "the whole device on bare metal or in a pod"},
    {domain::Technology::Mps, "mps", "CUDA Multi-Process Service"},
    {domain::Technology::SoftwareShare, "software-share",
     "a share kept by a scheduler or a library"},
    {domain::Technology::Partition, "partition",
     "some of an AMD GPU's compute dies, with their part of the memory"},
});
template <>
inline constexpr auto kNames<domain::GpuMode> = std::to_array<NameRow<domain::GpuMode>>({
    {domain::GpuMode::SameSize, "same-size", "time-sliced vGPUs of one frame buffer size"},
    {domain::GpuMode::MixedSize, "mixed-size",
     "time-sliced vGPUs of several sizes at fixed starts"},
    {domain::GpuMode::Mig, "mig", "MIG instances"},
    {domain::GpuMode::Passthrough, "passthrough", "given to one VM as it is"},
});
}  // namespace gpushape
