// Step 1, vCPU: one for every process that spins, some for the system, some for the traffic.
#include <fmt/format.h>

#include <algorithm>

#include "advise/contract_steps.hpp"

namespace gpushape::advise {

using domain::ResourceContract;
using domain::Tier;

namespace {

/// ceil(factor * geq) for a whole factor.
std::int64_t times_share(std::int64_t factor, const GpuEquivalents& share) {
  return ceil_div(factor * share.numerator, share.denominator);
}

std::int64_t tokenizer_vcpus(const ContractBasis& basis) {
  return ceil_div(std::max<std::int64_t>(basis.request.in_flight, 0),
                  basis.constants.sequences_per_vcpu.count());
}

VcpuNeed llm_need(const ContractBasis& basis) {
  const ContractConstants& k = basis.constants;
  VcpuNeed need;
  const ContractConstant& floor = basis.is_whole ? k.whole_device_floor : k.fraction_floor;
  const std::int64_t engine = basis.processes + k.system_vcpus.count();
  need.minimum = std::max(engine, floor.count());
  need.constants.push_back(engine >= floor.count() ? &k.system_vcpus : &floor);
  std::int64_t traffic = tokenizer_vcpus(basis);
  if (basis.is_multimodal) {
    traffic += k.media_vcpus.count() * basis.request.wishes.api_servers.value;
    need.constants.push_back(&k.media_vcpus);
  }
  const std::int64_t per_gpu = times_share(k.cores_per_gpu.count(), basis.share);
  need.recommended = std::max(need.minimum + traffic, per_gpu);
  need.constants.push_back(need.minimum + traffic >= per_gpu ? &k.sequences_per_vcpu
                                                             : &k.cores_per_gpu);
  return need;
}

VcpuNeed embed_need(const ContractBasis& basis) {
  const ContractConstants& k = basis.constants;
  // The formula's floor is that of a fraction; below one more than the processes they would starve
  // each other (VC-17).
  const std::int64_t minimum = std::max(k.fraction_floor.count(), basis.processes + 1);
  const std::int64_t per_gpu = times_share(k.cores_per_gpu.count(), basis.share);
  const std::int64_t traffic = minimum + tokenizer_vcpus(basis);
  return {.minimum = minimum,
          .recommended = std::max(traffic, per_gpu),
          .constants = {&k.fraction_floor,
                        traffic >= per_gpu ? &k.sequences_per_vcpu : &k.cores_per_gpu}};
}

VcpuNeed notebook_vcpu_need(const ContractBasis& basis) {
  const ContractConstants& k = basis.constants;
  const std::int64_t minimum = k.fraction_floor.count();
  const bool is_below_half = 2 * basis.share.numerator < basis.share.denominator;
  const ContractConstant& usual = is_below_half ? k.fraction_floor : k.notebook_vcpus;
  return {
      .minimum = minimum, .recommended = std::max(minimum, usual.count()), .constants = {&usual}};
}

VcpuNeed train_need(const ContractBasis& basis) {
  const ContractConstants& k = basis.constants;
  const std::int64_t minimum =
      basis.gpus * (1 + basis.request.wishes.workers.value) + k.system_vcpus.count();
  const std::int64_t per_gpu = k.training_vcpus.count() * basis.gpus;
  return {.minimum = minimum,
          .recommended = std::max(minimum, per_gpu),
          .constants = {&k.system_vcpus, &k.training_vcpus}};
}

/// What the wanted tier asks for, rounded. The minimum tier takes the minimum as it stands.
std::int64_t tiered(const VcpuNeed& need, std::int64_t minimum, const ContractBasis& basis) {
  switch (basis.request.wishes.tier.value) {
    case Tier::Minimum:
      return minimum;
    case Tier::Recommended:
      return std::max(minimum, round_vcpus(need.recommended));
    case Tier::Performance:
      break;
  }
  const double factor = basis.constants.performance_factor.value;
  const auto more =
      static_cast<std::int64_t>(std::ceil(factor * static_cast<double>(need.recommended)));
  return std::max(minimum, round_vcpus(more));
}

/// An instance that owns devices steps down to its part of the host's cores rather than keep the
/// remaining devices from being used.
void clamp_vcpus_to_share(const ContractBasis& basis, ResourceContract& contract) {
  const auto gpus_on_host = static_cast<std::int64_t>(basis.host.gpus.size());
  if (!basis.is_whole || gpus_on_host == 0) return;
  const std::int64_t share = basis.capacity.cores() * basis.overcommit * basis.share.numerator /
                             (basis.share.denominator * gpus_on_host);
  if (contract.vcpus <= share) return;
  const std::int64_t clamped = std::max(contract.minimum_vcpus, share / 2 * 2);
  note(contract, "step-1",
       fmt::format("vCPU lowered from {} to {}: {} of the host's {} GPUs have a share of {} vCPU{}",
                   contract.vcpus, clamped, basis.gpus, gpus_on_host, share,
                   clamped > share ? ", less than the minimum" : ""));
  contract.vcpus = clamped;
}

/// A pod has its CPUs once, whichever of its wishes it is given.
void take_vcpus_of_pod(const ContractBasis& basis, ResourceContract& contract) {
  if (!basis.request.pod || basis.request.pod->vcpus == contract.vcpus) return;
  const std::int64_t vcpus = std::max(basis.request.pod->vcpus, contract.minimum_vcpus);
  note(contract, "step-1",
       fmt::format("{} vCPU instead of {}: what the wishes of one pod have in common", vcpus,
                   contract.vcpus));
  contract.vcpus = vcpus;
}

}  // namespace

std::int64_t round_vcpus(std::int64_t vcpus) {
  if (vcpus <= 16) return round_up(vcpus, 2);
  return round_up(vcpus, vcpus <= 64 ? 4 : 8);
}

VcpuNeed vcpu_need(const ContractBasis& basis) {
  switch (basis.role) {
    case ContractRole::Llm:
      return llm_need(basis);
    case ContractRole::Embed:
      return embed_need(basis);
    case ContractRole::Notebook:
      return notebook_vcpu_need(basis);
    case ContractRole::Train:
      return train_need(basis);
  }
  return {};
}

void size_vcpus(const ContractBasis& basis, ResourceContract& contract) {
  const VcpuNeed need = vcpu_need(basis);
  contract.minimum_vcpus = round_up(need.minimum, 2);
  contract.vcpus = tiered(need, contract.minimum_vcpus, basis);
  std::vector<const ContractConstant*> constants = need.constants;
  if (basis.request.wishes.tier.value == Tier::Performance) {
    constants.push_back(&basis.constants.performance_factor);
  }
  note(contract, "step-1",
       fmt::format("{} vCPU for tier {}: at least {}, recommended {}, before rounding; {}",
                   contract.vcpus, name_of(contract.tier), need.minimum, need.recommended,
                   cite(constants)));
  clamp_vcpus_to_share(basis, contract);
  take_vcpus_of_pod(basis, contract);
}

}  // namespace gpushape::advise
