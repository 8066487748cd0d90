#include "review/asked_contracts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "schema/kinds.hpp"

namespace gpushape::review {

using domain::ConsumptionModel;
using domain::ResourceContract;
using domain::Shape;
using domain::Technology;

namespace {

constexpr double kMostVcpus = 1e6;
constexpr double kMostContractBytes = 1e15;

/// The contract that gpushape wrote beside the manifest; nothing where there is none, or where it
/// is not whole.
std::optional<ResourceContract> noted_contract(const NamedText* row) {
  if (row == nullptr) return std::nullopt;
  auto read = document::read_json(row->value, "gpushape.dev/contract");
  if (!read) return std::nullopt;
  auto contract = schema::read_contract(*read);
  if (!contract) return std::nullopt;
  return std::move(*contract);
}

Bytes bytes_of_amount(double amount) {
  return Bytes(static_cast<std::int64_t>(std::clamp(amount, 0.0, kMostContractBytes)));
}

/// The sum over containers that run together: limits, else requests.
double amount_of_pod(const PodRequest& pod, std::string_view resource) {
  double sum = 0;
  for (const Container& container : pod.containers) {
    if (container.is_init) continue;
    const ResourceAmount* row = container.request(resource);
    if (row == nullptr) row = container.limit(resource);
    if (row != nullptr) sum += row->amount.value_or(0);
  }
  return sum;
}

Technology technology_of(const GpuAsk& ask, const GrantedGpu& gpu) {
  switch (ask.kind) {
    case GrantKind::PluginShare:
    case GrantKind::Hami:
    case GrantKind::Kai:
    case GrantKind::Volcano:
      return Technology::SoftwareShare;
    default:
      break;
  }
  return gpu.profile == nullptr ? Technology::WholeGpu : gpu.profile->technology;
}

ConsumptionModel model_of(std::int64_t count, Technology technology) {
  if (count > 1) return ConsumptionModel::MultiGpu;
  switch (technology) {
    case Technology::FullVgpu:
    case Technology::WholeGpu:
      return ConsumptionModel::Full;
    case Technology::Passthrough:
      return ConsumptionModel::Passthrough;
    default:
      return ConsumptionModel::Fractional;
  }
}

Shape shape_of(const GrantedGpu& gpu, Technology technology, std::int64_t count) {
  Shape shape;
  shape.technology = technology;
  shape.device = gpu.device->id;
  shape.count = count;
  shape.consumption_model = model_of(count, technology);
  shape.memory_bytes = domain::usable_bytes(*gpu.device, gpu.profile);
  if (gpu.profile != nullptr) {
    shape.profile = gpu.profile->name;
    shape.profile_short = gpu.profile->short_name;
    if (gpu.profile->compute_slices > 0 && gpu.device->mig_compute_slices > 0) {
      shape.compute_share = static_cast<double>(gpu.profile->compute_slices) /
                            static_cast<double>(gpu.device->mig_compute_slices);
    } else if (gpu.profile->max_per_gpu > 0) {
      shape.compute_share = 1.0 / static_cast<double>(gpu.profile->max_per_gpu);
    }
  }
  if (gpu.limit) shape.memory_bytes = std::min(*gpu.limit, shape.memory_bytes);
  return shape;
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

/// A contract in the words of the manifest alone.
ResourceContract plain_contract(const PodRequest& pod, const Sizing& sizing) {
  const GrantedGpu& gpu = sizing.gpus.front();
  ResourceContract contract;
  const auto count = static_cast<std::int64_t>(std::llround(std::max(pod.gpu_count(), 1.0)));
  contract.shape = shape_of(gpu, technology_of(pod.gpus.front(), gpu), count);
  take_parallelism(pod, sizing, contract.shape);
  for (std::size_t i = 1; i < sizing.gpus.size() && pod.gpus.front().request != nullptr; ++i) {
    contract.alternatives.push_back(
        shape_of(sizing.gpus[i], technology_of(pod.gpus.front(), sizing.gpus[i]), count));
  }
  contract.vcpus =
      static_cast<std::int64_t>(std::ceil(std::clamp(amount_of_pod(pod, "cpu"), 0.0, kMostVcpus)));
  contract.memory_bytes = bytes_of_amount(amount_of_pod(pod, "memory"));
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

AskedContract asked_by_pod(const PodRequest& pod, const Deployment& deployment) {
  AskedContract asked{pod.title(), pod.document->source->span(pod.place().position()), {}, {}};
  asked.contract = noted_contract(pod.annotation("gpushape.dev/contract"));
  const auto count = static_cast<std::int64_t>(std::llround(pod.gpu_count()));
  if (asked.contract) {
    // What was edited since counts: the manifest says how many devices, and how often.
    const GpuAsk& ask = pod.gpus.front();
    const bool is_known = ask.kind != GrantKind::Claim || ask.claim != nullptr;
    if (is_known && !ask.takes_all && count > 0) asked.contract->shape.count = count;
  } else {
    const Sizing& sizing = deployment.sizing(pod);
    if (sizing.gpus.empty()) {
      asked.gap =
          "nothing says which GPU it is: a node selector, a claim's selectors, "
          "gpushape.dev/gpu or --gpu could";
      return asked;
    }
    asked.contract = plain_contract(pod, sizing);
  }
  asked.contract->name = pod.name + (pod.part.empty() ? "" : "-" + pod.part);
  asked.contract->replicas = copies_of(pod);
  return asked;
}

/// VMs of the class, node pools of it, or one where the documents hold neither.
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
  return std::max<std::int64_t>(uses, 1);
}

const domain::Profile* profile_of(const VmDevice& device) {
  if (device.product == nullptr || device.profile.empty()) return nullptr;
  for (const domain::Profile& profile : device.product->profiles) {
    if (domain::is_named(profile, device.profile)) return &profile;
  }
  return nullptr;
}

std::optional<ResourceContract> vm_contract(const VmClass& vm) {
  const VmDevice& device = vm.devices.front();
  const domain::Profile* profile = profile_of(device);
  if (device.product == nullptr || (profile == nullptr && !device.profile.empty())) {
    return std::nullopt;
  }
  ResourceContract contract;
  const GrantedGpu gpu{device.product, profile, {}, {}};
  contract.shape = shape_of(gpu, profile == nullptr ? Technology::Passthrough : profile->technology,
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

std::vector<NamedText> annotations_of(const VmClass& vm) {
  return named_texts(at(*vm.root, {"metadata", "annotations"}));
}

AskedContract asked_by_vm(const VmClass& vm, const Deployment& deployment) {
  AskedContract asked{title_of(vm), vm.document->source->span(vm.place().position()), {}, {}};
  const std::vector<NamedText> annotations = annotations_of(vm);
  asked.contract = noted_contract(find_name(annotations, "gpushape.dev/contract"));
  if (asked.contract) {
    asked.contract->shape.count = static_cast<std::int64_t>(vm.devices.size());
    if (vm.cpus) asked.contract->vcpus = vm.cpus->value;
    if (vm.memory_bytes) asked.contract->memory_bytes = bytes_of_amount(vm.memory_bytes->value);
  } else {
    asked.contract = vm_contract(vm);
  }
  if (!asked.contract) {
    asked.gap = "its device stands in no profile table: " + vm.devices.front().profile;
    return asked;
  }
  asked.contract->name = vm.name;
  asked.contract->replicas = uses_of(vm, deployment);
  return asked;
}

}  // namespace

std::vector<AskedContract> contracts_of(const Deployment& deployment) {
  std::vector<AskedContract> asked;
  for (const PodRequest& pod : deployment.pods) {
    if (!pod.gpus.empty() && copies_of(pod) > 0) asked.push_back(asked_by_pod(pod, deployment));
  }
  for (const VmClass& vm : deployment.vm_classes) {
    if (!vm.devices.empty()) asked.push_back(asked_by_vm(vm, deployment));
  }
  for (const StatedContract& stated : deployment.contracts) {
    asked.push_back({"ResourceContract " + stated.contract.name,
                     stated.document->source->span(stated.root->position()),
                     stated.contract,
                     {}});
  }
  return asked;
}

}  // namespace gpushape::review
