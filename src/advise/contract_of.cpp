#include "advise/contract_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advise/contract.hpp"
#include "advise/contract_steps.hpp"
#include "domain/engine.hpp"

namespace gpushape::advise {

namespace {

/// What the workload asks of the host. Only passthrough is bound to devices, one address for each.
void take_terms(const domain::PlacementTerms& terms, domain::ResourceContract& contract) {
  contract.placement = terms;
  if (terms.pci_addresses.empty()) return;
  const std::size_t devices = terms.pci_addresses.size();
  const bool is_bound = contract.shape.technology == domain::Technology::Passthrough &&
                        std::cmp_equal(contract.shape.count, devices);
  if (is_bound) return;
  contract.placement.pci_addresses.clear();
  note(contract, "addresses",
       fmt::format("not bound to {}: only passthrough of {} device{} is",
                   fmt::join(terms.pci_addresses, ", "), devices, devices == 1 ? "" : "s"));
}

}  // namespace

std::optional<std::int64_t> review_days(const DeviceCase& device_case,
                                        domain::ConsumptionModel model) {
  if (model != domain::ConsumptionModel::Full) return std::nullopt;
  const bool holds_for_uncertainty = std::ranges::any_of(
      device_case.shape_rules,
      [](const Fired& fired) { return fired.id == "CM-06" || fired.id == "CM-07"; });
  if (!holds_for_uncertainty) return std::nullopt;
  return static_cast<std::int64_t>(device_case.request.thresholds.review_days.value);
}

domain::ResourceContract contract_of(const DeviceCase& device_case,
                                     const domain::RankedShape& ranked, const Need& need,
                                     const Layout& layout, const std::optional<PodAmounts>& pod) {
  const domain::Workload& workload = device_case.request.workload;
  const Facts& facts = device_case.facts;
  ContractRequest request;
  request.shape = ranked.shape;
  // Of an instance over several hosts, the contract is what each of them gives.
  request.shape.count = ranked.shape.count / ranked.shape.nodes;
  request.shape.nodes = 1;
  request.device = device_case.wish.device;
  request.role = facts.role;
  request.wishes = workload.contract;
  if (need.estimate && domain::is_training(*need.estimate)) {
    request.wishes.cpu_offload_bytes.value += need.estimate->host_bytes;
    request.wishes.cpu_offload_bytes.origin = domain::Origin::Computed;
  }
  if (ranked.concurrency) request.in_flight = *ranked.concurrency;
  request.weights_bytes =
      need.weights_bytes * (layout.parallelism.tensor * layout.parallelism.pipeline);
  // What ZeRO deals out is one model all the same.
  if (need.estimate && need.estimate->training && need.estimate->training->zero_stage &&
      need.estimate->training->zero_stage->value == 3)
    request.weights_bytes = request.weights_bytes * layout.parallelism.data;
  // Of ranks with sequences of their own, what every one of them holds is a copy.
  const bool is_replicated = layout.parallelism.data > 1 && need.estimate &&
                             !need.estimate->training && need.estimate->all_gpus;
  if (is_replicated)
    request.weights_bytes = need.estimate->all_gpus->weights - need.estimate->all_gpus->copies;
  request.weights_bytes = request.weights_bytes / layout.nodes;
  request.dynamic_bytes = need.dynamic_bytes.value_or(Bytes(0)) * (layout.gpus / layout.nodes);
  request.needs_live_migration = facts.needs_live_migration;
  request.needs_ha = facts.needs_ha;
  request.replicas = ranked.replicas * layout.nodes;
  request.latency_slo = facts.latency_slo;
  request.platform = facts.platform;
  request.pod = pod;

  domain::ResourceContract contract =
      derive_contract(request, device_case.wish.host, device_case.request.constants);
  if (layout.nodes > 1) {
    note(contract, "MG-01",
         fmt::format("one of {} pods that form an instance, a leader and its workers "
                     "(LeaderWorkerSet, Ray): {} GPUs each",
                     layout.nodes, request.shape.count));
  }
  contract.name = workload.name;
  if (workload.hardware_label) contract.hardware_label = workload.hardware_label->value;
  take_terms(workload.placement, contract);
  if (device_case.request.model) contract.model = device_case.request.model->id;
  if (need.estimate) {
    contract.quantization = name_of(need.estimate->quantization.value);
    contract.engine = need.estimate->engine.value;
    contract.engine_version = domain::to_text(need.estimate->settings.version.value);
  }
  if (workload.context_tokens) contract.context_tokens = workload.context_tokens->value;
  contract.concurrency = ranked.concurrency;
  contract.evidence = name_of(facts.evidence);
  contract.review_after_days = review_days(device_case, ranked.shape.consumption_model);
  return contract;
}

}  // namespace gpushape::advise
