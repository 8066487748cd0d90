// Which GPU a pod's device is: from its claim, its node selector or affinity, an annotation, what
// the user says of the nodes. Nothing is guessed: where nobody tells, the list is empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "review/published_table.hpp"
#include "review/sizing.hpp"

namespace gpushape::review {

/// What one device of the pod may be; where several are possible, the one with the least memory
/// first. `published` are those of the request's devices.
std::vector<GrantedGpu> granted_gpus(const PodRequest& pod, const ReviewRequest& request,
                                     PublishedTable& published);

/// A label that the pod demands of its node, by selector or required affinity (`In`).
struct DemandedLabel {
  std::string label;
  std::string value;
  std::string from;  ///< "node selector nvidia.com/gpu.product"
};
std::vector<DemandedLabel> demanded_labels(const PodRequest& pod);

/// The device that a label of a node names ("NVIDIA-H100-80GB-HBM3", "nvidia-l4", "p5.48xlarge");
/// both nullptr where none does.
GrantedGpu gpu_of_label(std::string_view label, std::string_view value,
                        std::span<const domain::Device> devices);

}  // namespace gpushape::review
