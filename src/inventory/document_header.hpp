// What Cluster and Host documents have in common: the two fields that open them, and the limits of
// a server's figures.
#pragma once

#include <string>
#include <string_view>

#include "document/node.hpp"
#include "document/reader.hpp"

namespace gpushape::inventory {

// Limits are ours: well above every server that is sold, low enough that no product of two of them
// overflows. A number beyond them is a slip.
inline constexpr document::IntegerBounds kSockets{.least = 1, .most = 64};
inline constexpr document::IntegerBounds kCoresPerSocket{.least = 1, .most = 4096};
inline constexpr document::IntegerBounds kThreadsPerCore{.least = 1, .most = 8};
inline constexpr document::IntegerBounds kMegahertz{.least = 100, .most = 100'000};
inline constexpr document::IntegerBounds kNodesPerSocket{.least = 1, .most = 16};
inline constexpr document::IntegerBounds kHardwareVersion{.least = 4, .most = 99};
inline constexpr document::NumberBounds kGigabitsPerSecond{.least = 0.01, .most = 100'000};
inline constexpr Bytes kMostMemory = gib(1'048'576);

/// Complains unless `apiVersion` is ours and `kind` is the one expected. False for another kind.
bool read_header(document::Reader& reader, std::string_view kind);
/// A document with those two fields.
document::Node new_document(std::string_view kind);

/// A field that must be there and not be empty.
std::string read_name(document::Reader& reader, std::string_view field);

}  // namespace gpushape::inventory
