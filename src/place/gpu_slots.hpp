// How many instances of a shape the GPUs of an empty host offer, and which GPUs the first one
// takes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "domain/device.hpp"
#include "domain/host.hpp"
#include "domain/shape.hpp"

namespace gpushape::place {

/// An instance owns whole devices; otherwise it shares one with others.
bool takes_whole_devices(const domain::Shape& shape);

/// The devices of one instance must reach each other over NVLink.
bool needs_links(const domain::Shape& shape);

/// The row of `device` that a shape names; nullptr where it names none, or one that is not there.
const domain::Profile* profile_of(const domain::Shape& shape, const domain::Device& device);

/// Shares: what the profile table allows of one GPU times the GPUs. Whole devices: one instance a
/// GPU, or a group of GPUs within one link domain where the shape needs links.
std::int64_t gpu_slots(const domain::Shape& shape, const domain::Device& device,
                       const domain::Host& host);

/// Positions in Host::gpus of `count` GPUs of one device: within one link domain and one NUMA node
/// if such a set exists, else within one link domain, else within one NUMA node, else the first
/// ones. Fewer than `count` where the host has no more.
std::vector<int> closest_gpus(const domain::Host& host, std::string_view device,
                              std::int64_t count);

/// All of them stand in one link domain. One GPU alone does.
bool are_linked(const domain::Host& host, std::span<const int> gpus);

}  // namespace gpushape::place
