// What an inventory leaves open and the profile tables or the server's hardware answer: CPU and
// memory that VMs may reserve, allowed modes, link domains.
#pragma once

#include <span>

#include "domain/cluster.hpp"
#include "domain/device.hpp"
#include "place/host_capacity.hpp"

namespace gpushape::place {

/// Fills what is absent and changes nothing that is told. Device names are ids already.
void complete(domain::Cluster& cluster, std::span<const domain::Device> devices,
              const HostReserve& reserve = {});

/// Every set of GPUs of the host that may be given to one VM with links: the board's partition
/// table where the host's GPUs are such a board; where no table is known, each link domain and its
/// aligned halves down to pairs.
std::vector<domain::LinkDomain> link_domains_of(const domain::ClusterHost& host,
                                                std::span<const domain::Device> devices);

}  // namespace gpushape::place
