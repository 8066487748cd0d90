#include "review/asked_contracts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "domain/node_share.hpp"
#include "domain/profile_memory.hpp"
#include "review/granted_shape.hpp"
#include "review/noted_contracts.hpp"
#include "review/offered_contracts.hpp"

namespace gpushape::review {

using domain::ResourceContract;
using domain::Shape;
using domain::Technology;

namespace {

constexpr double kMostVcpus = 1e6;
constexpr double kMostContractBytes = 1e15;

std::int64_t whole_vcpus(double amount) {
  return static_cast<std::int64_t>(std::ceil(std::clamp(amount, 0.0, kMostVcpus)));
}

Bytes bytes_of_amount(double amount) {
  return Bytes(static_cast<std::int64_t>(std::clamp(amount, 0.0, kMostContractBytes)));
}

void take_parallelism(const PodRequest& pod, const Sizing& sizing, Shape& shape) {
  const domain::EngineSettings& engine = sizing.workload.engine;
  if (pod.engine_container() == nullptr) return;
  if (engine.tensor) shape.parallelism.tensor = engine.tensor->value;
  if (engine.pipeline) shape.parallelism.pipeline = engine.pipeline->value;
  if (engine.data) shape.parallelism.data = engine.data->value;
  if (engine.expert) shape.parallelism.expert = engine.expert->value;
}

std::int64_t copies_of(const PodRequest& pod) {
  return std::max<std::int64_t>(pod.replicas, 0) * std::max<std::int64_t>(pod.pods_per_replica, 1);
}

/// Of a KubeVirt VM: sockets x cores x threads.
std::int64_t guest_vcpus(const PodRequest& pod) {
  const document::Node* cpu = at(*pod.root, {"spec", "template", "spec", "domain", "cpu"});
  if (cpu == nullptr) cpu = at(*pod.root, {"spec", "domain", "cpu"});
  double product = 1;
  for (const std::string_view field : {"sockets", "cores", "threads"}) {
    const auto count = cpu == nullptr ? std::nullopt : integer_at(*cpu, {field});
    if (count) product *= static_cast<double>(std::max<std::int64_t>(count->value, 1));
  }
  return whole_vcpus(product);
}

/// A contract in the words of the manifest alone.
ResourceContract plain_contract(const PodRequest& pod, const Sizing& sizing) {
  const GrantedGpu& gpu = sizing.gpus.front();
  ResourceContract contract;
  const auto count = static_cast<std::int64_t>(std::llround(std::max(pod.gpu_count(), 1.0)));
  contract.shape = granted_shape(gpu, technology_of(pod.gpus.front(), gpu), count);
  take_parallelism(pod, sizing, contract.shape);
  for (std::size_t i = 1; i < sizing.gpus.size() && pod.gpus.front().request != nullptr; ++i) {
    contract.alternatives.push_back(
        granted_shape(sizing.gpus[i], technology_of(pod.gpus.front(), sizing.gpus[i]), count));
  }
  contract.vcpus = whole_vcpus(pod.amount("cpu"));
  contract.memory_bytes = bytes_of_amount(pod.amount("memory"));
  if (pod.guest_memory_bytes) {
    contract.vcpus = guest_vcpus(pod);
    contract.memory_bytes = bytes_of_amount(pod.guest_memory_bytes->value);
  }
  contract.minimum_vcpus = contract.vcpus;
  contract.minimum_memory_bytes = contract.memory_bytes;
  contract.reserved_cores = contract.vcpus;
  contract.memory_reservation_bytes = contract.memory_bytes;
  contract.needs_efi = false;
  if (sizing.model) contract.model = sizing.model->id;
  if (sizing.workload.context_tokens) {
    contract.context_tokens = sizing.workload.context_tokens->value;
  }
  if (sizing.container != nullptr) contract.engine = sizing.workload.engine.engine.value;
  return contract;
}

/// Nodes that a VM or pod lies over: its topology, or as many as a host has where one cannot hold
/// it. Without a topology the platform takes memory of any node, and refuses nothing for it.
void take_nodes(const Deployment& deployment, std::int64_t nodes, ResourceContract& contract) {
  const domain::Cluster* cluster = deployment.cluster();
  if (nodes < 2 && cluster != nullptr) {
    for (const domain::ClusterHost& host : cluster->hosts) {
      if (!host.numa) continue;
      const bool is_wider =
          contract.memory_bytes > host.numa->memory_per_node ||
          contract.vcpus * domain::kMillicoresPerCore > host.numa->millicores_per_node;
      nodes = std::max<std::int64_t>(nodes, is_wider ? host.numa->nodes : 1);
    }
  }
  if (nodes < 2) return;
  contract.numa = domain::VirtualNuma{};
  contract.numa->nodes = nodes;
  contract.numa->cores_per_node = std::max<std::int64_t>(contract.vcpus / nodes, 1);
  contract.numa->cores_per_socket = contract.numa->cores_per_node;
}

/// Where the amounts differ from what the contract leaves a pod, somebody has changed them since.
void take_changed_amounts(const PodRequest& pod, ResourceContract& contract) {
  if (pod.guest_memory_bytes) {  // a VM has all of its contract
    contract.memory_bytes = bytes_of_amount(pod.guest_memory_bytes->value);
    contract.vcpus = guest_vcpus(pod);
  } else {
    const std::int64_t vcpus = whole_vcpus(pod.amount("cpu"));
    if (vcpus > 0 && vcpus != domain::pod_vcpus(contract.vcpus)) {
      contract.vcpus = domain::contract_vcpus(vcpus);
    }
    const Bytes memory = bytes_of_amount(pod.amount("memory"));
    const Bytes left = domain::pod_memory(contract.memory_bytes);
    if (memory > Bytes(0) && memory / gib(1) != left / gib(1)) {
      const bool is_reserved = contract.memory_reservation_bytes == contract.memory_bytes;
      contract.memory_bytes = domain::contract_memory(memory);
      if (is_reserved) contract.memory_reservation_bytes = contract.memory_bytes;
    }
  }
  contract.minimum_vcpus = std::min(contract.minimum_vcpus, contract.vcpus);
  contract.minimum_memory_bytes = std::min(contract.minimum_memory_bytes, contract.memory_bytes);
}

/// What was edited since counts: the manifest says how many devices, and how often.
void take_changes(const PodRequest& pod, ResourceContract& contract) {
  if (!pod.gpus.empty() && contract.shape.nodes <= 1) {
    const auto count = static_cast<std::int64_t>(std::llround(pod.gpu_count()));
    const GpuAsk& ask = pod.gpus.front();
    const bool is_known = ask.kind != GrantKind::Claim || ask.claim != nullptr;
    if (is_known && !ask.takes_all && count > 0) contract.shape.count = count;
  }
  take_changed_amounts(pod, contract);
}

/// Bare flags have no name: what they serve gives it one.
std::string name_of_pod(const PodRequest& pod, const ResourceContract& contract) {
  if (!pod.name.empty()) return pod.name + (pod.part.empty() ? "" : "-" + pod.part);
  const std::size_t slash = contract.model.rfind('/');
  return slash == std::string::npos ? contract.model : contract.model.substr(slash + 1);
}

AskedContract asked_by_pod(const PodRequest& pod, const Deployment& deployment) {
  AskedContract asked{pod.title(), pod.document->source->span(pod.place().position()), {}, {}};
  asked.contract = noted_contract(pod);
  if (asked.contract) {
    take_changes(pod, *asked.contract);
    // The contract of an instance on several nodes is that of all its pods.
    const std::int64_t copies =
        asked.contract->shape.nodes > 1 ? std::max<std::int64_t>(pod.replicas, 0) : copies_of(pod);
    if (pod.stated_replicas || pod.source == PodSource::Kubernetes) {
      asked.contract->replicas = copies;
    }
  } else {
    const Sizing& sizing = deployment.sizing(pod);
    if (sizing.gpus.empty()) {
      asked.gap =
          "nothing says which GPU it is: a node selector, a claim's selectors, "
          "gpushape.dev/gpu or --gpu could";
      return asked;
    }
    asked.contract = plain_contract(pod, sizing);
    asked.contract->replicas = copies_of(pod);
    take_nodes(deployment, 1, *asked.contract);
  }
  asked.contract->name = name_of_pod(pod, *asked.contract);
  return asked;
}

/// Bare flags ask for no GPU themselves, and say what was sized where the comment is there.
bool is_asking(const PodRequest& pod) {
  if (copies_of(pod) <= 0) return false;
  if (!pod.gpus.empty()) return true;
  return pod.source == PodSource::Script && pod.engine_container() != nullptr &&
         noted_contract(pod).has_value();
}

/// Leader and workers are one instance.
bool is_further_part(const PodRequest& pod, const PodRequest* before,
                     const std::vector<AskedContract>& asked) {
  return before != nullptr && before->root == pod.root && !asked.empty() && asked.back().contract &&
         asked.back().contract->shape.nodes > 1;
}

/// VMs of the class, and nodes of the pools of it.
std::int64_t uses_of(const VmClass& vm, const Deployment& deployment) {
  std::int64_t uses = 0;
  for (const VirtualMachine& machine : deployment.vms) {
    if (machine.vm_class && machine.vm_class->value == vm.name) ++uses;
  }
  for (const KubernetesCluster& cluster : deployment.clusters) {
    for (const NodePool& pool : cluster.pools) {
      if (pool.vm_class && pool.vm_class->value == vm.name) uses += pool.replicas;
    }
  }
  return uses;
}

std::optional<ResourceContract> vm_contract(const VmClass& vm) {
  const VmDevice& device = vm.devices.front();
  const domain::Profile* profile = profile_of_device(device);
  if (device.product == nullptr || (profile == nullptr && !device.profile.empty())) {
    return std::nullopt;
  }
  ResourceContract contract;
  const GrantedGpu gpu{device.product, profile, {}, {}};
  contract.shape =
      granted_shape(gpu, profile == nullptr ? Technology::Passthrough : profile->technology,
                    static_cast<std::int64_t>(vm.devices.size()));
  contract.vcpus = vm.cpus ? vm.cpus->value : 0;
  contract.memory_bytes = bytes_of_amount(vm.memory_bytes ? vm.memory_bytes->value : 0);
  contract.minimum_vcpus = contract.vcpus;
  contract.minimum_memory_bytes = contract.memory_bytes;
  // A GPU's VM holds all of its memory, or it does not start.
  contract.memory_reservation_bytes = contract.memory_bytes;
  contract.needs_efi = vm.firmware && vm.firmware->value == "efi";
  return contract;
}

/// The line behind a block of Terraform, whose bracket closes in the first column; 0: there is
/// none.
int end_of_block(std::string_view text, int first_line) {
  int number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    if (number > first_line && text[start] == '}') return number + 1;
    start = std::min(text.find('\n', start), text.size() - 1) + 1;
  }
  return 0;
}

/// An annotation of the class, an option of the VM, or a comment in the block of Terraform.
std::optional<ResourceContract> note_on(const VmClass& vm) {
  if (auto noted = noted_contract(*vm.root)) return noted;
  if (const ExtraOption* option = vm.option(domain::kContractOption))
    return contract_of_text(option->value);
  const int line = vm.root->position().line;
  std::vector<ResourceContract> comments =
      commented_contracts(*vm.document, line, end_of_block(vm.document->source->text, line));
  if (comments.empty()) return std::nullopt;
  return std::move(comments.front());
}

}  // namespace

AskedContract contract_of(const VmClass& vm, const Deployment& deployment) {
  AskedContract asked{title_of(vm), vm.document->source->span(vm.place().position()), {}, {}};
  const std::int64_t uses = uses_of(vm, deployment);
  asked.contract = note_on(vm);
  if (asked.contract) {
    ResourceContract& contract = *asked.contract;
    contract.shape.count = static_cast<std::int64_t>(vm.devices.size());
    if (vm.cpus) contract.vcpus = vm.cpus->value;
    if (vm.memory_bytes) contract.memory_bytes = bytes_of_amount(vm.memory_bytes->value);
    if (uses > 0) contract.replicas = uses;
  } else {
    asked.contract = vm_contract(vm);
    if (asked.contract) asked.contract->replicas = std::max<std::int64_t>(uses, 1);
    const std::int64_t cores = vm.cores_per_node ? vm.cores_per_node->value : 0;
    const std::int64_t nodes = cores > 0 && vm.cpus ? vm.cpus->value / cores : 1;
    if (asked.contract) take_nodes(deployment, nodes, *asked.contract);
  }
  if (!asked.contract) {
    const std::string& profile = vm.devices.front().profile;
    asked.gap = profile.empty() ? "the address or id of its card says nothing of the product"
                                : "its device stands in no profile table: " + profile;
    return asked;
  }
  asked.contract->name = vm.name;
  return asked;
}

std::vector<AskedContract> contracts_of(const Deployment& deployment) {
  std::vector<AskedContract> asked;
  const PodRequest* before = nullptr;
  for (const PodRequest& pod : deployment.pods) {
    if (!is_asking(pod) || is_further_part(pod, before, asked)) continue;
    asked.push_back(asked_by_pod(pod, deployment));
    before = &pod;
  }
  for (const VmClass& vm : deployment.vm_classes) {
    if (!vm.devices.empty()) asked.push_back(contract_of(vm, deployment));
  }
  add_asked_by_reference(deployment, asked);
  add_offered(deployment, asked);
  for (const StatedContract& stated : deployment.contracts) {
    asked.push_back({"ResourceContract " + stated.contract.name,
                     stated.document->source->span(stated.root->position()),
                     stated.contract,
                     {}});
  }
  return asked;
}

}  // namespace gpushape::review
