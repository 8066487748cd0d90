#include "advise/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "advise/contract_steps.hpp"
#include "place/gpu_slots.hpp"

namespace gpushape::advise {

using domain::ContractWishes;
using domain::Qos;
using domain::ResourceContract;
using domain::Role;

namespace {

ContractRole contract_role(Role role) {
  switch (role) {
    case Role::Llm:
    case Role::Vision:
    case Role::Speech:
      return ContractRole::Llm;
    case Role::Embed:
    case Role::Rerank:
      return ContractRole::Embed;
    case Role::Notebook:
    case Role::Ci:
      return ContractRole::Notebook;
    case Role::FineTune:
      return ContractRole::Train;
  }
  return ContractRole::Llm;
}

std::int64_t overcommit(Qos qos, const ContractConstants& constants) {
  switch (qos) {
    case Qos::Guaranteed:
      return constants.overcommit_guaranteed.count();
    case Qos::Engine:
      return constants.overcommit_engine.count();
    case Qos::BestEffort:
      return constants.overcommit_best_effort.count();
  }
  return 1;
}

/// GiB in the name of a device, or of its memory where the name holds none.
std::int64_t nominal_gib(const domain::Device& device) {
  if (device.nominal_gb > 0) return device.nominal_gb;
  return std::max<std::int64_t>(std::llround(device.visible_bytes.expected.gib()), 1);
}

/// GiB of one device or share as its profile's name says; a share without a profile counts what it
/// may use.
std::int64_t nominal_gib(const domain::Shape& shape, const domain::Device& device) {
  if (const domain::Profile* profile = place::profile_of(shape, device)) {
    return profile->nominal_gib;
  }
  if (place::takes_whole_devices(shape)) return nominal_gib(device);
  return std::max<std::int64_t>(std::llround(shape.memory_bytes.gib()), 1);
}

std::vector<int> nodes_of(const domain::Host& host, const std::vector<int>& gpus) {
  std::vector<int> nodes;
  nodes.reserve(gpus.size());
  for (const int gpu : gpus) nodes.push_back(host.gpus.at(static_cast<std::size_t>(gpu)).numa_node);
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
  return nodes;
}

constexpr std::int64_t kMostProcesses = 1'000'000;

/// Readers bound these long before; a number beyond is a fault of ours.
void hold_bounds(const ContractRequest& request) {
  const ContractWishes& wishes = request.wishes;
  for (const std::int64_t count :
       {request.shape.count, request.shape.parallelism.data, wishes.api_servers.value}) {
    if (count < 1 || count > kMostProcesses)
      throw std::invalid_argument("contract: count out of bounds");
  }
  if (wishes.workers.value < 0 || wishes.workers.value > kMostProcesses) {
    throw std::invalid_argument("contract: workers out of bounds");
  }
}

}  // namespace

ContractBasis contract_basis(const ContractRequest& request, const domain::Host& host,
                             const ContractConstants& constants) {
  hold_bounds(request);
  const domain::Shape& shape = request.shape;
  const std::int64_t data = shape.parallelism.data;
  const std::int64_t gpus = shape.count;
  const std::int64_t per_device = nominal_gib(shape, request.device);
  const bool is_whole = place::takes_whole_devices(shape);
  ContractBasis basis{
      .request = request,
      .host = host,
      .constants = constants,
      .capacity =
          place::host_capacity(host, {.cores_per_socket = constants.hypervisor_cores.count(),
                                      .usable_memory_percent = constants.usable_memory.count()}),
      .role = contract_role(request.role),
      .is_multimodal = request.is_multimodal || request.role == Role::Vision,
      .is_whole = is_whole,
      .gpus = gpus,
      .gpu_memory_gib = per_device * gpus,
      .share = is_whole ? GpuEquivalents{gpus, 1}
                        : GpuEquivalents{per_device * gpus, nominal_gib(request.device)},
      // vLLM, CPU Resources for GPU Deployments: API servers, engine cores, GPU workers, and the
      // coordinator of several engine cores.
      .processes = request.wishes.api_servers.value + data + gpus + (data > 1 ? 1 : 0),
      .overcommit = overcommit(request.wishes.qos.value, constants),
      .gpu_positions = request.gpu_positions.value_or(
          place::closest_gpus(host, shape.device, is_whole ? gpus : 1)),
      .gpu_nodes = {},
      .is_linked = false};
  basis.gpu_nodes = nodes_of(host, basis.gpu_positions);
  basis.is_linked = std::cmp_equal(basis.gpu_positions.size(), gpus) &&
                    place::are_linked(host, basis.gpu_positions);
  return basis;
}

ResourceContract derive_contract(const ContractRequest& request, const domain::Host& host,
                                 const ContractConstants& constants) {
  const ContractBasis basis = contract_basis(request, host, constants);
  ResourceContract contract;
  contract.shape = request.shape;
  contract.replicas = request.replicas;
  contract.vcpus_per_core = basis.overcommit;
  contract.qos = request.wishes.qos.value;
  contract.tier = request.wishes.tier.value;
  contract.host = host.name;
  contract.needs_live_migration = request.needs_live_migration;
  contract.needs_ha = request.needs_ha;
  size_vcpus(basis, contract);
  size_memory(basis, contract);
  fit_numa_nodes(basis, contract);
  size_mmio(basis, contract);
  reserve_cpu(basis, contract);
  count_density(basis, contract);
  estimate_pause(basis, contract);
  check_limits(basis, contract);
  check_lifecycle(basis, contract);
  note_platform(basis, contract);
  return contract;
}

void note(ResourceContract& contract, std::string id, std::string says) {
  contract.notes.push_back({.id = std::move(id), .says = std::move(says)});
}

std::string cite(const std::vector<const ContractConstant*>& constants) {
  std::string text;
  for (const ContractConstant* constant : constants) {
    std::string_view origin =
        constant->kind == ConstantKind::Sourced ? constant->source : "default";
    if (!constant->from.empty()) origin = constant->from;
    text += fmt::format("{}{} {}{}{} ({})", text.empty() ? "" : "; ", constant->name,
                        constant->value, constant->unit.empty() ? "" : " ", constant->unit, origin);
  }
  return text;
}

std::string gib_text(Bytes bytes) {
  const double tenths = std::round(bytes.gib() * 10) / 10;
  return fmt::format("{} GiB", tenths);
}

}  // namespace gpushape::advise
