// MG-01: several GPUs are a partition of the fabric. NVSwitch parts a board into 1, 2, 4 or 8 GPUs;
// three or six are no partition, and strand the rest (F. Denneman, device groups: Partition
// Boundaries; NVIDIA Fabric Manager, default partitions).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

bool is_partition(std::int64_t gpus) { return (gpus & (gpus - 1)) == 0; }

std::string neighbours_text(std::int64_t gpus) {
  std::int64_t below = 1;
  while (below * 2 < gpus) below *= 2;
  return fmt::format("{} or {}", below, below * 2);
}

}  // namespace

void mg_01(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const std::int64_t gpus = gpus_of(vm);
    const domain::Device* product = product_of(vm);
    // Beyond the link domain RV-06 speaks.
    if (product == nullptr || is_partition(gpus) || product->nvlink.max_domain < gpus) continue;
    report.add(*vm.document, *vm.devices.front().node,
               {.message = fmt::format("{} {} of {} cannot form one NVLink partition", gpus,
                                       product->id, title_of(vm)),
                .fix = fmt::format("take {} GPUs", neighbours_text(gpus))});
  }
  if (!deployment.sizings) return;
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const auto tensor = whole_of(call, "tensor");
    if (!tensor || *tensor < 2 || is_partition(*tensor)) return;
    const Sizing& sizing = deployment.sizing(pod);
    if (sizing.gpus.empty() || sizing.gpus.front().device->nvlink.max_domain < *tensor) return;
    const bool is_guest = sizing.gpus.front().profile != nullptr;
    report.add(
        *pod.document, call.find("tensor")->value_position,
        {.message = fmt::format("{} spreads {} over {} GPUs{}", pod.title(), call.engine, *tensor,
                                is_guest ? ", which cannot form one NVLink partition"
                                         : ": of a board of 8 the rest serves no such pod"),
         .fix = fmt::format("take {} GPUs", neighbours_text(*tensor)),
         .label = "no power of two",
         .severity = is_guest ? std::nullopt : std::optional(domain::Severity::Warning)});
  });
}

}  // namespace gpushape::review::rules_of
