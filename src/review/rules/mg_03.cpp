// MG-03: narrower weights keep one copy within a link domain. Across it every step goes PCIe, CPU,
// the link of the sockets and PCIe again, and the slowest link sets the pace (F. Denneman,
// multi-GPU topologies: Two NVLink pairs).
#include <fmt/format.h>

#include <array>

#include "advise/precision.hpp"
#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"
#include "review/rules/tensor_groups.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Beyond a host's board of eight a link domain is a rack of its own (GB200 NVL72).
constexpr std::int64_t kMostOfHost = 8;
constexpr std::array<std::int64_t, 4> kPartitions = {1, 2, 4, 8};

struct NarrowerGroup {
  domain::Quantization weights = domain::Quantization::Fp8;
  std::int64_t gpus = 0;
  domain::Estimate estimate;
};

bool holds(const std::optional<domain::Estimate>& estimate) {
  return estimate && estimate->capacity && estimate->capacity->fits;
}

/// The widest narrower weights with which a copy fits within `reach`; nothing where the present
/// ones do, which is a matter of replicas (MG-05).
std::optional<NarrowerGroup> narrower_group(const TensorGroup& group, std::int64_t reach) {
  const std::int64_t sequences = group.wanted.value_or(1);
  const auto fits_on = [&](std::int64_t gpus, const domain::Workload& workload) {
    return gpus <= reach && group.could_be(gpus) ? estimate_with(*group.sizing, workload)
                                                 : std::nullopt;
  };
  for (const std::int64_t gpus : kPartitions) {
    if (holds(fits_on(gpus, group.on(gpus, sequences)))) return std::nullopt;
  }
  const domain::Quantization now = group.workload.quantization
                                       ? group.workload.quantization->value
                                       : group.sizing->model->weights.linear;
  for (const domain::Quantization weights : advise::narrower_weights(
           group.sizing->engine->name, now, *group.sizing->gpus.front().device)) {
    for (const std::int64_t gpus : kPartitions) {
      domain::Workload workload = group.on(gpus, sequences);
      workload.quantization =
          domain::Fact<domain::Quantization>{weights, domain::Origin::Computed, "narrower weights"};
      auto estimate = fits_on(gpus, workload);
      if (holds(estimate)) return NarrowerGroup{weights, gpus, std::move(*estimate)};
    }
  }
  return std::nullopt;
}

Remark remark_on(const std::string& title, const TensorGroup& group, std::int64_t reach,
                 const NarrowerGroup& narrower) {
  const domain::Capacity& capacity = *narrower.estimate.capacity;
  const std::string links = reach > 1 ? fmt::format("{} of which reach each other", reach)
                                      : std::string("which have no links");
  return {.message = fmt::format(
              "{} spreads {} over {} x {}, {}; with {} weights {} hold{} it: {} of {} on each, and "
              "{} sequence{} of its context",
              title, group.sizing->model->id, group.gpus, capacity.gpu, links,
              name_of(narrower.weights), narrower.gpus, narrower.gpus == 1 ? "s" : "",
              gib_text(static_cast<double>(narrower.estimate.total_bytes.high.count())),
              gib_text(static_cast<double>(capacity.visible_bytes.expected.count())),
              sequences_held(capacity), sequences_held(capacity) == 1 ? "" : "s"),
          .fix = fmt::format("serve a checkpoint in {} on {} GPU{}", name_of(narrower.weights),
                             narrower.gpus, narrower.gpus == 1 ? "" : "s")};
}

/// GPUs that one copy of the pod reaches without leaving a link domain, or its host.
std::int64_t reach_of(const Deployment& deployment, const SizedPod& sized,
                      const TensorGroup& group) {
  const domain::Device& device = *group.sizing->gpus.front().device;
  std::int64_t reach = link_reach(device, hosts_with(deployment, device, std::int64_t{1}));
  const auto ranks = ranks_of(*sized.call);
  const std::int64_t pods = ranks ? pods_of_instance(*sized.pod, *ranks) : 1;
  if (pods > 1 && reach <= kMostOfHost) reach = std::min(reach, group.gpus / pods);
  return reach;
}

}  // namespace

void mg_03(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    const auto group = tensor_group(sized);
    if (!group) return;
    const std::int64_t reach = reach_of(deployment, sized, *group);
    if (group->gpus <= reach) return;
    const auto narrower = narrower_group(*group, reach);
    if (!narrower) return;
    report.add(*sized.pod->document, sized.place("tensor"),
               remark_on(sized.pod->title(), *group, reach, *narrower));
  });
  if (deployment.request->workload == nullptr || !deployment.sizings) return;
  for (const VmClass& vm : deployment.vm_classes) {
    const auto group = tensor_group(deployment, vm);
    if (!group) continue;
    const std::int64_t reach = link_reach(*product_of(vm), hosts_for(deployment, vm));
    if (group->gpus <= reach) continue;
    const auto narrower = narrower_group(*group, reach);
    if (!narrower) continue;
    report.add(*vm.document, *vm.devices.front().node,
               remark_on(title_of(vm), *group, reach, *narrower));
  }
}

}  // namespace gpushape::review::rules_of
