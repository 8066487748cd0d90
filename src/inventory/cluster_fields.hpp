// Fields of a Cluster document that stand in more than one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/reader.hpp"
#include "domain/cluster.hpp"

namespace gpushape::inventory {

inline constexpr std::size_t kMostHosts = 100'000;  // limits are ours, above every cluster
inline constexpr std::size_t kMostGpusOfHost = 64;
inline constexpr std::size_t kMostLinkDomains = 512;
inline constexpr document::IntegerBounds kPosition{.least = 0, .most = 63};
inline constexpr document::IntegerBounds kAxis{.least = 0, .most = 100'000};
inline constexpr document::NumberBounds kCores{.least = 0, .most = 1'000'000};
inline constexpr document::IntegerBounds kReservedMhz{.least = 0, .most = 1'000'000'000};

/// A number of cores, to the thousandth.
std::optional<std::int64_t> read_millicores(document::Reader& reader, std::string_view field);
/// A sequence of texts.
document::Node texts_node(const std::vector<std::string>& texts);
document::Node cores_node(std::int64_t millicores);
/// Bytes of up to a pebibyte.
std::optional<Bytes> read_memory(document::Reader& reader, std::string_view field);

domain::PlacementRequest read_request(document::Reader& reader);
document::Node request_node(const domain::PlacementRequest& request);

domain::Gpu read_gpu(document::Reader& reader);
document::Node gpu_node(const domain::Gpu& gpu);

}  // namespace gpushape::inventory
