// What NVIDIA's DRA driver publishes for the products of our tables: whole GPUs, MIG instances,
// vGPUs inside a guest, and cards for passthrough. What hangs on the single card, its slot or the
// installed driver is there with an unknown value.
//
// Sources: kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/deviceinfo.go; published
// ResourceSlices of EKS (NVIDIA/aicr), OpenShift and VKS (cncf/k8s-ai-conformance).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/device.hpp"
#include "review/cel/selector.hpp"

namespace gpushape::review {

inline constexpr std::string_view kNvidiaDriver = "gpu.nvidia.com";

struct PublishedGpu {
  cel::PublishedDevice device;
  std::string_view type;  ///< "gpu", "mig", "vfio"
  bool is_guest = false;  ///< a vGPU, as a VM sees it
  const domain::Device* product = nullptr;
  const domain::Profile* profile = nullptr;  ///< of a MIG instance or a vGPU
};

/// Whole devices first, each followed by its instances; devices of other vendors are left out.
std::vector<PublishedGpu> published_gpus(std::span<const domain::Device> devices);

/// The type that a class of the driver's chart selects: "mig" for mig.nvidia.com.
std::optional<std::string_view> type_of_class(std::string_view device_class);

}  // namespace gpushape::review
