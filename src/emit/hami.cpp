// The target `hami`: a deployment under HAMi's scheduler. Resources and annotations: HAMi 2.10,
// charts/hami/values.yaml and pkg/device/nvidia/device.go.

#include <fmt/format.h>

#include "emit/deployments.hpp"

namespace gpushape::emit {

using domain::Technology;

namespace {

Diagnostics refusal(const Serving& serving) {
  const domain::Shape& shape = serving.picked.shape;
  const domain::Device& device = device_of(serving.request, shape);
  if (!shape.device_group.empty()) {
    return {complaint(fmt::format("hami cannot express the device group {}: it knows single cards "
                                  "of a node",
                                  shape.device_group),
                      "vm-class can, with resource-claim for the pod")};
  }
  if (device.vendor != "nvidia") {
    return {complaint(fmt::format("hami is written for NVIDIA's resources only, and {} is of {}",
                                  device.id, device.vendor),
                      "`-o deployment` can")};
  }
  switch (shape.technology) {
    case Technology::TimeSliced:
    case Technology::FullVgpu:
    case Technology::MigBackedVgpu:
      return {complaint(fmt::format("hami cannot express the vGPU {}: vSphere makes that share, "
                                    "HAMi makes its own of cards that the node owns",
                                    shape.profile),
                        "vm-class and resource-claim can, or ask for --platform kubernetes")};
    default:
      return {};
  }
}

Result<Grant> hami_grant(const Serving& serving) {
  if (Diagnostics faults = refusal(serving); !faults.empty()) return failure(std::move(faults));
  const domain::Shape& shape = serving.picked.shape;
  const Share share = share_of(serving);
  Grant grant;
  grant.scheduler = "hami-scheduler";
  grant.resources = {{"nvidia.com/gpu", std::to_string(shape.count)}};
  std::string types;
  for (const std::string& name : device_of(serving.request, shape).product_names)
    types += (types.empty() ? "" : ",") + name;
  if (!types.empty()) grant.annotations.push_back({"nvidia.com/use-gputype", types});
  if (shape.technology == Technology::Mig) {
    grant.annotations.push_back({"nvidia.com/vgpu-mode", "mig"});
    grant.resources.push_back({"nvidia.com/gpumem", std::to_string(share.mebibytes)});
  } else if (is_software_share(shape)) {
    grant.annotations.push_back({"nvidia.com/vgpu-mode", "hami-core"});
    grant.resources.push_back({"nvidia.com/gpumem", std::to_string(share.mebibytes)});
    grant.resources.push_back({"nvidia.com/gpucores", std::to_string(share.percent_of_cores)});
  } else {
    grant.resources.push_back({"nvidia.com/gpumem-percentage", "100"});
    grant.resources.push_back({"nvidia.com/gpucores", "100"});
  }
  return grant;
}

}  // namespace

Result<Emitted> emit_hami(const EmitRequest& request) {
  return deploy(request, "hami", hami_grant);
}

}  // namespace gpushape::emit
