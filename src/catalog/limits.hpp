// What a size of a model may be at most. Every published model is far below; what is above is a
// typing error or an attack, and is refused before arithmetic sees it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostic.hpp"
#include "document/reader.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

inline constexpr document::IntegerBounds kLayers{.least = 1, .most = 10'000};
inline constexpr document::IntegerBounds kHiddenSize{.least = 1, .most = 1'000'000};
inline constexpr document::IntegerBounds kChunk{.least = 1, .most = 1'024};  ///< of a recurrence
inline constexpr document::IntegerBounds kHeads{.least = 1, .most = 10'000};
inline constexpr document::IntegerBounds kHeadDim{.least = 1, .most = 10'000};
inline constexpr document::IntegerBounds kWidth{.least = 1, .most = 10'000'000};
/// Of a tensor that no other field speaks of: tables of n-grams are long.
inline constexpr document::IntegerBounds kRows{.least = 1, .most = 10'000'000'000};
inline constexpr document::IntegerBounds kExperts{.least = 1, .most = 100'000};
inline constexpr document::IntegerBounds kVocabulary{.least = 1, .most = 10'000'000};
inline constexpr document::IntegerBounds kContextTokens{.least = 1, .most = 1'000'000'000};
inline constexpr document::IntegerBounds kGroup{.least = 1, .most = 1'000'000};
inline constexpr document::NumberBounds kRopeTheta{.least = 1, .most = 1e15};
inline constexpr document::NumberBounds kRopeFactor{.least = 1, .most = 1e6};

/// No model comes near it; what is larger is a typing error and would overflow byte counts.
inline constexpr std::int64_t kMostParameters = 100'000'000'000'000;

/// Facts that contradict one another: heads that do not divide, a total beyond all bounds. One
/// message each, without a place. `heads` and `kv_heads` name the facts as the source spells them.
Diagnostics contradictions(const domain::Model& model, std::string_view heads,
                           std::string_view kv_heads);

}  // namespace gpushape::catalog
