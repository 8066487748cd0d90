#include "place/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "place/geometry.hpp"

namespace gpushape::place {

using domain::ClusterHost;
using domain::Gpu;
using domain::GpuAllocation;
using domain::GpuMode;
using domain::GpuUse;

namespace {

GpuUse use_in(GpuMode mode) {
  if (mode == GpuMode::Mig) return GpuUse::Mig;
  return mode == GpuMode::Passthrough ? GpuUse::Passthrough : GpuUse::TimeSliced;
}

class Checker {
 public:
  Checker(const domain::Cluster& cluster, std::span<const domain::Device> devices)
      : cluster_(cluster) {
    for (const domain::Device& device : devices) {
      geometries_.emplace(device.id, geometry_of(device));
    }
    for (const domain::VirtualMachine& vm : cluster.vms) vms_.emplace(vm.name, &vm);
  }

  std::vector<Contradiction> run() {
    for (const ClusterHost& host : cluster_.hosts) check_host(host);
    for (const domain::VirtualMachine& vm : cluster_.vms) check_vm(vm);
    return std::move(found_);
  }

 private:
  void say(const ClusterHost& host, const std::string& subject, std::string says) {
    found_.push_back({.host = host.name, .subject = subject, .says = std::move(says)});
  }

  void check_host(const ClusterHost& host) {
    if (host.used_millicores > host.millicores) {
      say(host, {},
          fmt::format("{:.4g} cores are reserved of {:.4g}",
                      static_cast<double>(host.used_millicores) / 1000,
                      static_cast<double>(host.millicores) / 1000));
    }
    if (host.used_memory_bytes > host.memory_bytes) {
      say(host, {},
          fmt::format("{:.1f} GiB are reserved of {:.1f}", host.used_memory_bytes.gib(),
                      host.memory_bytes.gib()));
    }
    check_sums(host);
    std::set<std::string> addresses;
    for (const Gpu& gpu : host.gpus) {
      if (!gpu.pci_address.empty() && !addresses.insert(gpu.pci_address).second) {
        say(host, gpu.id, fmt::format("the PCI address {} is given to two GPUs", gpu.pci_address));
      }
      if (gpu.numa_node && host.numa && *gpu.numa_node >= host.numa->nodes) {
        say(host, gpu.id,
            fmt::format("NUMA node {} on a host of {} nodes", *gpu.numa_node, host.numa->nodes));
      }
      check_gpu(host, gpu);
    }
  }

  /// What the VMs of a host ask for is at most what is told as used.
  void check_sums(const ClusterHost& host) {
    std::int64_t millicores = 0;
    Bytes memory;
    for (const domain::VirtualMachine& vm : cluster_.vms) {
      if (vm.host != host.name) continue;
      millicores += vm.request.millicores;
      memory += vm.request.memory_bytes;
    }
    if (millicores > host.used_millicores) {
      say(host, {},
          fmt::format("its VMs reserve {:.4g} cores, and {:.4g} are told as used",
                      static_cast<double>(millicores) / 1000,
                      static_cast<double>(host.used_millicores) / 1000));
    }
    if (memory > host.used_memory_bytes) {
      say(host, {},
          fmt::format("its VMs reserve {:.1f} GiB, and {:.1f} are told as used", memory.gib(),
                      host.used_memory_bytes.gib()));
    }
  }

  void check_gpu(const ClusterHost& host, const Gpu& gpu) {
    if (!gpu.mode) return;
    if (std::ranges::find(gpu.allowed_modes, *gpu.mode) == gpu.allowed_modes.end()) {
      say(host, gpu.id,
          fmt::format("in {} mode, which is not among its allowed modes", name_of(*gpu.mode)));
    }
    if (*gpu.mode == GpuMode::Passthrough) {
      if (gpu.allocations.size() > 1) {
        say(host, gpu.id, fmt::format("passed through to {} VMs at once", gpu.allocations.size()));
      }
      return;
    }
    const auto geometry = geometries_.find(gpu.device);
    if (geometry == geometries_.end()) return;
    std::map<std::string, int> counts;
    for (const GpuAllocation& share : gpu.allocations) {
      ++counts[share.profile];
      check_share(host, gpu, share, geometry->second);
    }
    for (const auto& [name, count] : counts) {
      const int index = geometry->second.find(use_in(*gpu.mode), name);
      if (index < 0 || *gpu.mode == GpuMode::MixedSize) continue;
      const int most = geometry->second.profiles[static_cast<std::size_t>(index)].max;
      if (count > most) {
        say(host, gpu.id, fmt::format("{} x {}, and a {} takes {}", count, name, gpu.device, most));
      }
    }
    check_overlaps(host, gpu);
  }

  void check_share(const ClusterHost& host, const Gpu& gpu, const GpuAllocation& share,
                   const DeviceGeometry& device) {
    if (!vms_.empty() && !vms_.contains(share.vm)) {
      say(host, gpu.id, fmt::format("holds a share of '{}', which is no VM of the list", share.vm));
    }
    const int index = device.find(use_in(*gpu.mode), share.profile);
    if (index < 0) {
      say(host, gpu.id,
          fmt::format("holds a {}, and a {} has no such profile in {} mode", share.profile,
                      gpu.device, name_of(*gpu.mode)));
      return;
    }
    const ProfileGeometry& profile = device.profiles[static_cast<std::size_t>(index)];
    if (share.size != profile.size) {
      say(host, gpu.id,
          fmt::format("{} of '{}' is told with size {}, and has {}", share.profile, share.vm,
                      share.size, profile.size));
    }
    if (*gpu.mode == GpuMode::SameSize) {
      if (!gpu.profile.empty() && device.find(GpuUse::TimeSliced, gpu.profile) != index) {
        say(host, gpu.id, fmt::format("locked to {}, and holds a {}", gpu.profile, share.profile));
      }
      return;
    }
    if (!profile.starts.empty() &&
        std::ranges::find(profile.starts, share.start) == profile.starts.end()) {
      say(host, gpu.id,
          fmt::format("{} of '{}' starts at {}, which is none of its starts", share.profile,
                      share.vm, share.start));
    }
  }

  void check_overlaps(const ClusterHost& host, const Gpu& gpu) {
    if (*gpu.mode == GpuMode::SameSize) return;
    for (std::size_t i = 0; i < gpu.allocations.size(); ++i) {
      for (std::size_t j = i + 1; j < gpu.allocations.size(); ++j) {
        const GpuAllocation& a = gpu.allocations[i];
        const GpuAllocation& b = gpu.allocations[j];
        if (a.start < b.start + b.size && b.start < a.start + a.size) {
          say(host, gpu.id, fmt::format("the shares of '{}' and '{}' overlap", a.vm, b.vm));
        }
      }
    }
  }

  void check_vm(const domain::VirtualMachine& vm) {
    const auto host = std::ranges::find(cluster_.hosts, vm.host, &ClusterHost::name);
    if (host == cluster_.hosts.end()) return;
    if (static_cast<std::int64_t>(vm.gpus.size()) != vm.request.gpus) {
      say(*host, vm.name,
          fmt::format("asks for {} GPUs and holds {}", vm.request.gpus, vm.gpus.size()));
    }
    for (const int position : vm.gpus) {
      const Gpu& gpu = host->gpus.at(static_cast<std::size_t>(position));
      if (std::ranges::find(gpu.allocations, vm.name, &GpuAllocation::vm) ==
          gpu.allocations.end()) {
        say(*host, vm.name, fmt::format("is said to hold {}, which does not list it", gpu.id));
      }
    }
  }

  const domain::Cluster& cluster_;
  std::map<std::string, DeviceGeometry> geometries_;
  std::map<std::string, const domain::VirtualMachine*> vms_;
  std::vector<Contradiction> found_;
};

}  // namespace

std::vector<Contradiction> contradictions(const domain::Cluster& cluster,
                                          std::span<const domain::Device> devices) {
  return Checker(cluster, devices).run();
}

}  // namespace gpushape::place
