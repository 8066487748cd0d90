// What several rules ask of the documents: the settings of an engine as numbers, the devices that a
// claim's selectors let through.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "review/deployment.hpp"
#include "review/published.hpp"
#include "review/rules.hpp"

namespace gpushape::review {

using EngineVisitor = std::function<void(const PodRequest&, const Container&, const EngineCall&)>;
/// Every container that starts an engine.
void each_engine(const Deployment& deployment, const EngineVisitor& visit);

/// The number behind the last flag of that setting; nothing where there is none, or it is no
/// number ("$(TP)", "auto").
std::optional<std::int64_t> whole_of(const EngineCall& call, std::string_view setting);
std::optional<double> real_of(const EngineCall& call, std::string_view setting);
/// A token count by the engine's own rule: vLLM's 32k is 32 000 and its 32K is 32 768.
std::optional<std::int64_t> tokens_of(const EngineCall& call, std::string_view setting);

/// How an engine is split. Empty where a size is written as something other than a number, or
/// elsewhere.
struct Ranks {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;                 ///< copies on the GPUs of this pod
  std::int64_t nodes = 1;                ///< pods that one copy spans
  const EngineSetting* place = nullptr;  ///< the first of the flags that split it

  /// GPUs that the engine takes, all its pods together.
  [[nodiscard]] std::int64_t total() const { return tensor * pipeline * data; }
};
std::optional<Ranks> ranks_of(const EngineCall& call);
/// Pods that hold one instance together: as the engine's flags, the controller or the serving kind
/// say; KServe starts a pod for every pipeline stage where it is told of a worker.
std::int64_t pods_of_instance(const PodRequest& pod, const Ranks& ranks);

/// Whether the filter of a layout ("0x233010DE": device and vendor) names that device.
bool is_for_device(const GpuLayout& layout, const domain::Device& device);

/// Every claim request, alternatives one by one.
using RequestVisitor = std::function<void(const Claim&, const ClaimRequest&)>;
void each_request(const Deployment& deployment, const RequestVisitor& visit);

/// Which known GPUs a request's class and selectors let through.
struct DeviceMatch {
  bool is_judged = false;  ///< the class is NVIDIA's, and every selector compiles
  std::vector<const PublishedGpu*> yes;
  std::vector<const PublishedGpu*> maybe;   ///< hangs on what only the node knows
  std::vector<const PublishedGpu*> nearly;  ///< kept out by a memory threshold at their name's size
  std::string error;                        ///< the last run-time error
};
/// Worked out once for all requests of the same class and selectors.
const DeviceMatch& match_devices(const Deployment& deployment, const ClaimRequest& request);

/// "h100-sxm-80, h100-pcie-80 and 2 more"
std::string names_of(const std::vector<const PublishedGpu*>& gpus);

/// "1.33" -> 33; nothing where --k8s says nothing.
std::optional<int> kubernetes_minor(const Deployment& deployment);

/// The GPUs of the pod that its own device asks name, where each of them is known to the number.
std::optional<double> counted_gpus(const PodRequest& pod, const Container* container);

/// What a pod's engine needs on a GPU that is known; nothing where either is open.
struct SizedPod {
  const PodRequest* pod = nullptr;
  const EngineCall* call = nullptr;
  const Sizing* sizing = nullptr;
  const domain::Estimate* estimate = nullptr;
  const domain::Capacity* capacity = nullptr;

  /// "h100-sxm-80", "h100-sxm-80 40C"
  [[nodiscard]] std::string gpu() const;
  /// Where that setting is given, else where the engine is started.
  [[nodiscard]] document::Position place(std::string_view setting) const;
};
void each_sized(const Deployment& deployment, const std::function<void(const SizedPod&)>& visit);
/// The same without a GPU: `capacity` is nullptr where none is known.
void each_estimated(const Deployment& deployment,
                    const std::function<void(const SizedPod&)>& visit);

/// Of the first layer that attends; 0 where none does.
std::int64_t attention_heads_of(const domain::Model& model);
/// The fewest KV heads of the layers that keep a cache by heads; 0 where none does.
std::int64_t least_kv_heads(const domain::Model& model);

/// "81559Mi", "40Gi"
std::string quantity_text(double bytes);
/// "12.3 GiB"
std::string gib_text(double bytes);

}  // namespace gpushape::review
