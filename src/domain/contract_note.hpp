// How a document that gpushape writes carries the contract behind it, and how a review finds it
// again.
#pragma once

#include <string_view>

namespace gpushape::domain {

/// The annotation, and the comment in files that have no metadata: the contract as JSON on one
/// line.
inline constexpr std::string_view kContractNote = "gpushape.dev/contract";
/// The option of a VM (`extraConfig`); its keys know letters, digits and points.
inline constexpr std::string_view kContractOption = "gpushape.contract";

}  // namespace gpushape::domain
