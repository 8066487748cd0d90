// The shapes that a device could take on a platform, before anybody asks whether they fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "advise/advise.hpp"
#include "advise/facts.hpp"
#include "advise/thresholds.hpp"
#include "domain/device.hpp"
#include "domain/shape.hpp"

namespace gpushape::advise {

struct Candidate {
  domain::Shape shape;
  const domain::Profile* profile = nullptr;  ///< row of the wish's device; null for whole devices
  bool nests = true;     ///< its size is the device halved, once or more (section 6, step 2)
  Bytes stranded_bytes;  ///< beside it, by placement: what no nesting size can use
  std::int64_t per_device = 1;
};

/// As domain::is_named; a MIG-backed vGPU also goes by the name of its instance.
bool goes_by(const domain::Profile& profile, std::string_view name);

/// Profiles that leave the device shareable, largest first: time-sliced and MIG-backed vGPUs where
/// there is a hypervisor, MIG elsewhere. Rows with extra attributes (+me, +gfx) are left out unless
/// `wanted` names them.
std::vector<Candidate> fraction_candidates(const Wish& wish, domain::Platform platform,
                                           const std::optional<std::string>& wanted,
                                           const Thresholds& thresholds);

/// The whole device: the full vGPU profile, or the device in a pod or on bare metal. Nothing where
/// the platform has no vGPU profile for it.
std::optional<Candidate> full_candidate(const Wish& wish, domain::Platform platform);

/// Dynamic DirectPath I/O.
Candidate passthrough_candidate(const Wish& wish);

/// `count` whole devices for one instance.
std::optional<Candidate> group_candidate(const Wish& wish, domain::Platform platform,
                                         const domain::Parallelism& parallelism,
                                         std::int64_t count);

/// GPUs of the wish's device that reach each other over NVLink on its host, at most; 1 for none.
std::int64_t link_domain_size(const Wish& wish);
/// GPUs of the wish's device that the host has.
std::int64_t gpus_on_host(const Wish& wish);

FractionMode mode_of(const domain::Shape& shape);

}  // namespace gpushape::advise
