// A contract as placement counts it: one request for each of its shapes, in the order of
// preference. CPU is the vCPUs at the contract's own overcommit, as the density of its host was
// counted; memory is all of it.
#pragma once

#include <span>
#include <vector>

#include "domain/contract.hpp"
#include "domain/device.hpp"
#include "domain/placement.hpp"

namespace gpushape::place {

domain::PlacementRequest request_of(const domain::ResourceContract& contract,
                                    const domain::Shape& shape,
                                    std::span<const domain::Device> devices);

/// The contract's shape, then its alternatives.
std::vector<domain::PlacementRequest> requests_of(const domain::ResourceContract& contract,
                                                  std::span<const domain::Device> devices);

/// "2 x 80C with links" and the like.
std::string words_of(const domain::PlacementRequest& request);

}  // namespace gpushape::place
