// The contracts behind manifests of other systems: whatever a review reads.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "document/node.hpp"
#include "domain/contract.hpp"

namespace gpushape::cli {

/// A document that holds none is passed over; one whose GPU cannot be told is a Diagnostic.
Result<std::vector<domain::ResourceContract>> manifest_contracts(
    const std::vector<document::Document>& documents, const Invocation& invocation);

}  // namespace gpushape::cli
