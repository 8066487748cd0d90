// The rows of the rules on VMs and nodes (VC): the VM contract, read backwards.
#pragma once

#include <array>

#include "review/rules/functions.hpp"

namespace gpushape::review {

inline constexpr auto kContractRows = std::to_array<RuleRow>({
    {"VC-12", domain::Severity::Error, "The release takes that many devices",
     "The VM does not power on with more devices than its release takes",
     "split the work, or raise the hardware version", "Broadcom KB 309986", rules_of::vc_12},
    {"VC-13", domain::Severity::Warning, "No affinity to CPUs or memory",
     "Affinity ends NUMA management: the scheduler may neither place nor balance the VM",
     "remove it; numa.nodeAffinity keeps NUMA management where strict locality is needed",
     "vSphere Resource Management, Using NUMA Systems with ESXi", rules_of::vc_13},
    {"VC-14", domain::Severity::Warning, "numa.nodeAffinity holds on every host",
     "It names physical nodes: where the GPUs sit on others it keeps the VM away from them, and a "
     "VM that moves takes it along",
     "remove it, or restrict the class to hosts whose GPUs sit on that node",
     "F. Denneman, vSphere 8 CPU Topology Device Assignment", rules_of::vc_14},
    {"VC-15", domain::Severity::Error, "High latency sensitivity has its reservations",
     "The VM does not power on without all of its CPU and memory reserved",
     "reserve all of both, or set latencySensitivity.level to normal",
     "vSphere, latency sensitivity; VM Operator's webhook", rules_of::vc_15},
    {"VC-16", domain::Severity::Warning, "A host filled with this shape uses all of its GPUs",
     "GPU slots that CPU, memory or the reservation leave over serve nobody",
     "take a smaller tier, reserve cores for the engine alone (--qos engine), or a bigger host",
     "ours: the density of the VM contract, step 6", rules_of::vc_16},
    {"VC-17", domain::Severity::Error, "Every process of the engine has a CPU",
     "The engine's core and workers are busy loops: fewer CPUs than processes starve the API "
     "server, "
     "and time to first token suffers long before the GPU looks busy",
     "give it more CPUs", "vLLM, CPU Resources for GPU Deployments; arXiv 2603.22774",
     rules_of::vc_17},
    {"VC-18", domain::Severity::Error, "The VM's memory holds its processes",
     "Operating system, processes, shared memory and one shard of weights have to fit, and GPU VMs "
     "cannot swap",
     "give it more memory", "NIM for LLMs, Getting Started; vLLM", rules_of::vc_18},
    {"VC-19", domain::Severity::Error, "A VM with several GPUs has whole ones",
     "Parts of GPUs have no NVLink between them, and a device group is given as a whole or not",
     "take full-size profiles and one device group",
     "NVIDIA AI Enterprise, Peer-To-Peer CUDA "
     "Transfers; F. Denneman, device groups",
     rules_of::vc_19},
    {"VC-20", domain::Severity::Warning, "A live migration pauses no longer than it may",
     "The frame buffer moves while the VM stands still",
     "take a smaller profile, a faster link or VCF 9, or plan a restart instead",
     "vSphere, Using vGPU: stun times; F. Denneman, Enhanced vMotion for vGPU VMs in VCF 9.0",
     rules_of::vc_20},
    {"VC-21", domain::Severity::Warning, "What must move is no passthrough",
     "A VM with DirectPath I/O cannot move, suspend or be snapshot: maintenance means its end",
     "take a full-size vGPU profile", "vSphere, DirectPath I/O; rule LC-01", rules_of::vc_21},
    {"VC-22", domain::Severity::Error, "GPU pods are Guaranteed under the static CPU policy",
     "Any other pod shares its CPUs with the whole node",
     "set equal requests and limits, in whole CPUs", "Kubernetes, CPU Manager", rules_of::vc_22},
    {"VC-23", domain::Severity::Error, "The topology manager admits the pod",
     "single-numa-node refuses a pod that one NUMA node cannot hold",
     "use restricted with prefer-closest-numa-nodes", "Kubernetes, Topology Manager",
     rules_of::vc_23},
    {"VC-24", domain::Severity::Warning, "Several GPU workers have shared memory",
     "NCCL and the engine's queues stand in /dev/shm; with 64 MiB they fail or crawl",
     "mount a memory emptyDir at /dev/shm", "vLLM, Using Kubernetes; production-stack 97",
     rules_of::vc_24},
    {"VC-25", domain::Severity::Warning, "GPUs are not asked to share a PCIe root",
     "On real servers every GPU has a root of its own, and inside a VM the root is that of the "
     "virtual bus",
     "drop the constraint, or match a GPU with its network card; use a device group below",
     "ResourceSlice of an EKS p5 node; Kubernetes, resource.kubernetes.io/pcieRoot",
     rules_of::vc_25},
    {"VC-26", domain::Severity::Note, "A host for VMs keeps its sockets whole",
     "With sub-NUMA clustering or NPS2 and NPS4 nodes get too small for the VM of a GPU",
     "set NPS1, or sub-NUMA clustering off, in the BIOS", "F. Denneman, Sub-NUMA Clustering",
     rules_of::vc_26},
});

}  // namespace gpushape::review
