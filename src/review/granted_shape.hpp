// A GPU that a manifest asks for, as the shape of a contract.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/shape.hpp"
#include "review/claims.hpp"
#include "review/pod_request.hpp"
#include "review/published_table.hpp"
#include "review/sizing.hpp"

namespace gpushape::review {

/// What keeps the shares apart, by the way they are asked for.
domain::Technology technology_of(const GpuAsk& ask, const GrantedGpu& gpu);

/// `gpu.device` is known.
domain::Shape granted_shape(const GrantedGpu& gpu, domain::Technology technology,
                            std::int64_t count);

/// The shape that a request of a claim, or one alternative of it, selects among what NVIDIA's
/// driver publishes, the one with the least memory; nothing where its class or selectors do not
/// tell.
std::optional<domain::Shape> claimed_shape(const ClaimRequest& request, PublishedTable& published);

}  // namespace gpushape::review
