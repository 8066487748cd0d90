// What rules on machines ask of the cluster: the hosts that could take a VM, and what one NUMA node
// of them has. Borrows deployment and cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "review/asked_contracts.hpp"
#include "review/deployment.hpp"

namespace gpushape::review {

/// Owns its device: passthrough, or a vGPU as large as the GPU.
bool is_whole_device(const VmDevice& device);
/// How many GPUs a VM takes: one for a share, as many as devices for whole ones.
std::int64_t gpus_of(const VmClass& vm);
/// All devices are of one product, which the tables know; nullptr else.
const domain::Device* product_of(const VmClass& vm);

/// Hosts of the cluster that are up and have enough GPUs of the VM's product, whatever holds them
/// now. Empty without a cluster.
std::vector<const domain::ClusterHost*> hosts_for(const Deployment& deployment, const VmClass& vm);
/// Those with `gpus` of a product.
std::vector<const domain::ClusterHost*> hosts_with(const Deployment& deployment,
                                                   const domain::Device& product,
                                                   std::int64_t gpus);
/// GPUs of the product that reach each other over NVLink: the largest link domain among the hosts,
/// the product's own without any.
std::int64_t link_reach(const domain::Device& product,
                        const std::vector<const domain::ClusterHost*>& hosts);
/// The most GPUs of the product on one NUMA node of the host; nothing where a node is not known.
std::optional<std::int64_t> most_on_one_node(const domain::ClusterHost& host,
                                             const domain::Device& product);
/// "esx-1, esx-2 and 3 more"
std::string names_of_hosts(const std::vector<const domain::ClusterHost*>& hosts);

/// Why a VM of that class has to move or restart by itself: "the Platform document expects
/// restarts"; empty where nothing says so.
std::string reason_to_move(const Deployment& deployment, const VmClass& vm);

/// The contract behind the class; nothing where none follows from it.
std::optional<domain::ResourceContract> contract_behind(const Deployment& deployment,
                                                        const VmClass& vm);

/// The device of the tables by id; nullptr where there is none.
const domain::Device* device_by_id(const Deployment& deployment, std::string_view id);

}  // namespace gpushape::review
