// What a device or one of its shares offers: the memory that an engine finds inside, and the
// profile that a name means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "domain/device.hpp"
#include "domain/estimate.hpp"

namespace gpushape::domain {

/// What an engine inside `profile` finds; nullptr for the whole device (passthrough, bare metal).
/// A vGPU guest names and measures its own frame buffer; a MIG instance shows its parent by index.
VisibleMemory visible_memory(const Device& device, const Profile* profile);

/// What a guest with that vGPU calls its GPU: "GRID A100-10C", "NVIDIA L40S-48C". Driver types
/// stand under the brand that the host's name begins with. Source: NVIDIA open-gpu-kernel-modules,
/// g_nv_name_released.h; a VKS 3.7 listing.
std::string guest_product(const Profile& profile);

/// What the rules compare a need with: the usable bytes of the profile, or the expected visible
/// total of the whole device.
Bytes usable_bytes(const Device& device, const Profile* profile);

/// True when `name` is the profile's host name, driver type, short name or an alias; letter case,
/// blanks and "_" aside ("40c", "nvidia_h100xm-40c", "3g.40gb").
bool is_named(const Profile& profile, std::string_view name);

/// The device's profile of that name. The result points into `device`. An unknown name is answered
/// with the nearest ones.
Result<const Profile*> find_profile(const Device& device, std::string_view name);

/// Usable bytes of the largest profile that leaves room for another on the device: half of it, as a
/// rule (40C of 80, 3g or 4g of 8 memory slices). 0 bytes where nothing is shared. With a
/// technology, only among its profiles; Mig and MigBackedVgpu are told apart.
Bytes largest_fraction_bytes(const Device& device,
                             std::optional<Technology> technology = std::nullopt);

}  // namespace gpushape::domain
