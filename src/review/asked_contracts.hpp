// What the documents ask for, as ResourceContracts: the form that placement takes and that the
// manifests of gpushape come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/contract.hpp"
#include "review/deployment.hpp"

namespace gpushape::review {

struct AskedContract {
  std::string object;  ///< "Deployment ai/llama-70b"
  SourceSpan place;
  std::optional<domain::ResourceContract> contract;
  std::string gap;   ///< why there is none: "nothing says which GPU it is"; empty: there is one
  bool runs = true;  ///< false: it only offers the GPU (a device class, the layout of a node)
};

/// What that VM class asks for.
AskedContract contract_of(const VmClass& vm, const Deployment& deployment);

/// Pods with GPUs, and VM classes; claims that no pod of the documents uses, VMs and node pools of
/// a class that they do not hold; what offers a GPU (device classes, layouts of nodes, flags of an
/// engine) where nothing else says the same contract; contracts of our own kinds as they are.
///
/// The annotation or comment gpushape.dev/contract supplies what a manifest cannot say; what the
/// manifest itself says of devices, counts, processors, memory and replicas wins over it. In the
/// order of the documents, pods first.
std::vector<AskedContract> contracts_of(const Deployment& deployment);

}  // namespace gpushape::review
