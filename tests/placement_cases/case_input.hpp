// Placement cases as their files write them, in our words: names of modes, policies and units are
// translated here and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/node.hpp"
#include "domain/cluster.hpp"
#include "place/geometry.hpp"
#include "simulate/replay.hpp"

namespace placement_cases {

/// The child of that name, or an empty node.
const gpushape::document::Node& at(const gpushape::document::Node& node, std::string_view name);

std::vector<gpushape::place::DeviceGeometry> read_catalog(const gpushape::document::Node& root);
gpushape::domain::Gpu read_gpu(const gpushape::document::Node& node);
gpushape::domain::Cluster read_cluster(const gpushape::document::Node& node);
gpushape::domain::PlacementRequest read_request(const gpushape::document::Node& node);
std::vector<std::pair<double, gpushape::domain::PlacementRequest>> read_distribution(
    const gpushape::document::Node& node);
std::vector<gpushape::simulate::Event> read_events(const gpushape::document::Node& node);

/// "min_frag_touch" → "least-fragmentation-touch".
std::string policy_name(const std::string& written);
/// "profile-lock" → "profile_lock".
std::string written_name(std::string_view name);

}  // namespace placement_cases
