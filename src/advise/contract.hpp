// From a shape and a host profile to the VM contract: vm-contract.md, section 3, step by step.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/contract_constants.hpp"
#include "domain/contract.hpp"
#include "domain/device.hpp"
#include "domain/host.hpp"
#include "domain/shape.hpp"
#include "domain/workload.hpp"

namespace gpushape::advise {

/// What a pod has once, whichever of several shapes it is given.
struct PodAmounts {
  std::int64_t vcpus = 0;
  Bytes memory_bytes;
  Bytes shared_memory_bytes;

  bool operator==(const PodAmounts&) const = default;
};

struct ContractRequest {
  domain::Shape shape;
  domain::Device device;
  domain::Role role = domain::Role::Llm;
  domain::ContractWishes wishes;
  std::int64_t in_flight = 32;
  bool is_multimodal = false;
  Bytes weights_bytes;               ///< of the whole model
  std::optional<Bytes> shard_bytes;  ///< largest checkpoint shard
  Bytes dynamic_bytes;  ///< of all devices together: what a pre-copying migration moves
  bool needs_live_migration = false;
  bool needs_ha = false;
  std::int64_t replicas = 1;
  std::optional<std::vector<int>>
      gpu_positions;  ///< the host's GPUs it takes; empty: the first that form one link domain
  domain::LatencySlo latency_slo = domain::LatencySlo::None;
  domain::Platform platform = domain::Platform::Vsphere;
  std::optional<PodAmounts> pod;  ///< stands in place of what this shape alone would be given
};

/// Name, alternatives, and what the contract is for (model, engine, evidence …) are the caller's to
/// fill in; everything else is derived.
domain::ResourceContract derive_contract(const ContractRequest& request, const domain::Host& host,
                                         const ContractConstants& constants = {});

}  // namespace gpushape::advise
