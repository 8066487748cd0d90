// How large a number in a document may be before it is taken for a slip. All limits are ours: far
// above every system that exists, and low enough that no later product of two of them overflows.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "document/reader.hpp"

namespace gpushape::schema {

inline constexpr document::IntegerBounds kTokensBounds{.least = 1, .most = 1'000'000'000};
inline constexpr document::IntegerBounds kSequencesBounds{.least = 1, .most = 1'000'000};
inline constexpr document::IntegerBounds kGpusBounds{.least = 1, .most = 1'024};
inline constexpr document::IntegerBounds kDraftBounds{.least = 1, .most = 1'024};
inline constexpr document::IntegerBounds kAdaptersBounds{.least = 1, .most = 100'000};
inline constexpr document::IntegerBounds kImagesBounds{.least = 0, .most = 10'000};
inline constexpr document::IntegerBounds kRankBounds{.least = 1, .most = 4'096};
inline constexpr document::IntegerBounds kZeroStageBounds{.least = 0, .most = 3};
/// Layers of any model, and the head.
inline constexpr document::IntegerBounds kGpuLayerBounds{.least = 0, .most = 10'001};
inline constexpr document::IntegerBounds kBlockBounds{.least = 1, .most = 1'048'576};
inline constexpr document::IntegerBounds kCountBounds{.least = 0, .most = 1'000'000};
inline constexpr document::IntegerBounds kOneOrMoreBounds{.least = 1, .most = 1'000'000};
inline constexpr document::IntegerBounds kMegahertzBounds{.least = 0, .most = 1'000'000'000};
inline constexpr document::NumberBounds kShareBounds{.least = 0, .most = 1};
inline constexpr document::NumberBounds kSpreadBounds{.least = 1, .most = 1'000};
inline constexpr document::NumberBounds kSecondsBounds{.least = 0, .most = 1'000'000};
inline constexpr Bytes kMostBytes = gib(1024LL * 1024);  // 1 PiB

/// A byte count from 0 to kMostBytes.
std::optional<Bytes> read_bytes(document::Reader& reader, std::string_view field);

}  // namespace gpushape::schema
