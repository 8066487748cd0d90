// How a cluster offers its GPUs: device plugin, MIG layouts, vGPU layouts, the GPU Operator.
// Borrows the documents; a configuration inside a ConfigMap is read like one that is a file.
//
// Sources: NVIDIA k8s-device-plugin, api/config/v1; mig-parted, api/spec/v1; vgpu-device-manager,
// api/spec/v1; gpu-operator, api/nvidia/v1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "review/fields.hpp"

namespace gpushape::review {

/// One row of `sharing.timeSlicing.resources` or `sharing.mps.resources`.
struct SharedResource {
  const document::Node* node = nullptr;
  std::string name;    ///< "nvidia.com/gpu"
  std::string rename;  ///< empty: none
  std::optional<Located<std::int64_t>> replicas;
  bool is_mps = false;
};

/// A device plugin's configuration.
struct PluginConfig {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string name;  ///< of the entry of a ConfigMap; empty for a file of its own
  std::optional<Located<std::string>> mig_strategy;  ///< "none", "single", "mixed"
  const document::Node* time_slicing = nullptr;
  const document::Node* mps = nullptr;
  bool renames_by_default = false;  ///< the resource becomes nvidia.com/gpu.shared
  bool refuses_several = false;     ///< failRequestsGreaterThanOne
  std::vector<SharedResource> resources;
};

/// A profile and how many of it.
struct ProfileCount {
  Located<std::string> profile;  ///< "3g.40gb", "L40S-24Q"; the node is that of the count
  std::int64_t count = 0;
  document::Position position;  ///< of the profile's name
};

/// Some GPUs of a node and what they are cut into.
struct GpuLayout {
  const document::Node* node = nullptr;
  std::vector<std::string> device_filter;  ///< "0x233010DE"; empty: every model
  std::vector<std::int64_t> devices;       ///< positions; empty: all
  bool is_enabled = true;                  ///< mig-enabled
  std::vector<ProfileCount> profiles;
};

/// One named entry of mig-configs or vgpu-configs.
struct LayoutConfig {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string name;  ///< "all-3g.40gb"
  bool is_vgpu = false;
  std::vector<GpuLayout> layouts;
};

/// The GPU Operator's ClusterPolicy, or its Helm values.
struct OperatorPolicy {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  const document::Node* spec = nullptr;
  std::string name;
  std::optional<Located<std::string>> mig_strategy;
  std::optional<Located<bool>> device_plugin;  ///< devicePlugin.enabled; empty: on
  std::string plugin_config;                   ///< of devicePlugin.config.default
  std::string mig_config;                      ///< of migManager.config.default
  std::optional<Located<bool>> sandbox_workloads;
  std::optional<Located<std::string>> driver_version;
  std::optional<Located<bool>> dra_gpus;  ///< draDriver or resources.gpus.enabled
};

/// Values of NVIDIA's DRA driver chart.
struct DraDriverValues {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::optional<Located<bool>> gpus;  ///< resources.gpus.enabled
  std::vector<NamedText> gates;       ///< featureGates
};

}  // namespace gpushape::review
