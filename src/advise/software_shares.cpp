#include "advise/software_shares.hpp"

#include <fmt/format.h>

namespace gpushape::advise {

using domain::Technology;

namespace {

constexpr Bytes kLeastShare = gib(1);  // ours: a CUDA context and nothing else fits below

std::string share_name(std::int64_t parts) {
  if (parts == 2) return "half";
  if (parts == 4) return "quarter";
  if (parts == 8) return "eighth";
  return fmt::format("1/{}", parts);
}

/// MPS limits the memory of a client from Volta on.
bool has_limits(const domain::Device& device) {
  return device.vendor == "nvidia" && !device.compute_capability.empty() &&
         device.compute_capability.front() >= '7';
}

}  // namespace

bool is_software_share(Technology technology) {
  return technology == Technology::Mps || technology == Technology::SoftwareShare;
}

std::vector<Candidate> software_shares(const Wish& wish, domain::Platform platform,
                                       const std::optional<Technology>& asked,
                                       const Thresholds& thresholds) {
  std::vector<Candidate> shares;
  if (has_hypervisor(platform) || !has_limits(wish.device)) return shares;
  const Bytes whole = wish.device.visible_bytes.low;
  for (std::int64_t parts = 2; static_cast<double>(parts) <= thresholds.nesting_parts.value;
       parts *= 2) {
    const Bytes share = (whole / parts) / mib(1) * mib(1);
    if (share < kLeastShare) break;
    for (const Technology technology : {Technology::SoftwareShare, Technology::Mps}) {
      if (asked && is_software_share(*asked) && technology != *asked) continue;
      const bool has_scheduler = platform == domain::Platform::Kubernetes;
      if (technology == Technology::SoftwareShare && !has_scheduler) continue;
      Candidate candidate;
      candidate.per_device = parts;
      candidate.shape = {.consumption_model = domain::ConsumptionModel::Fractional,
                         .technology = technology,
                         .device = wish.device.id,
                         .profile = {},
                         .profile_short = share_name(parts),
                         .count = 1,
                         .interconnect = "none",
                         .device_group = {},
                         .parallelism = {},
                         .is_mixed_size = false,
                         .compute_share = 1.0 / static_cast<double>(parts),
                         .memory_bytes = share};
      shares.push_back(std::move(candidate));
    }
  }
  return shares;
}

std::string what_is_not_isolated(Technology technology) {
  if (technology == Technology::Mps) {
    return "MPS runs the kernels of all clients at once and limits the memory of each; a fatal "
           "fault of one ends all of them, and cores, cache and bandwidth are shared: one tenant "
           "only";
  }
  return "a share by software: HAMi limits memory by a library inside the container, KAI only "
         "counts it; faults, cores, cache and bandwidth are shared: one tenant only";
}

}  // namespace gpushape::advise
