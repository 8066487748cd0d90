// MF-07: a GPU has one owner. The device plugin and the DRA driver each count all GPUs of a node as
// theirs (https://github.com/NVIDIA/gpu-operator/pull/1541,
// https://github.com/NVIDIA/KAI-Scheduler/issues/1177).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

const GpuAsk* ask_of_kind(const PodRequest& pod, bool by_claim) {
  for (const GpuAsk& ask : pod.gpus) {
    const bool is_claim = ask.kind == GrantKind::Claim && ask.claim != nullptr &&
                          meaning_of_class(ask.resource) == ClassMeaning::WholeGpu;
    if (by_claim ? is_claim : ask.kind == GrantKind::Plugin) return &ask;
  }
  return nullptr;
}

/// Both say which nodes, in the same words: files that say nothing may be meant for two clusters.
bool share_nodes(const PodRequest& a, const PodRequest& b) {
  return !a.node_selector.empty() &&
         std::ranges::equal(a.node_selector, b.node_selector, [](const auto& x, const auto& y) {
           return x.name == y.name && x.value == y.value;
         });
}

}  // namespace

void mf_07(const Deployment& deployment, Report& report) {
  for (const OperatorPolicy& policy : deployment.operator_policies) {
    const bool has_plugin = !policy.device_plugin || policy.device_plugin->value;
    if (!policy.dra_gpus || !policy.dra_gpus->value || !has_plugin) continue;
    report.add(
        *policy.document, *policy.dra_gpus->node,
        {.message = fmt::format("{} hands the same GPUs out twice: by the DRA driver, and by "
                                "the device plugin, which is on{}",
                                policy.name.empty() ? "the GPU Operator" : policy.name,
                                policy.device_plugin ? "" : " by default"),
         .fix = "set devicePlugin.enabled to false where DRA owns the GPUs"});
  }
  // With KEP-5004 the DRA driver serves the plugin's resource name.
  const bool is_served_by_class =
      std::ranges::any_of(deployment.device_classes, [](const DeviceClass& row) {
        return row.extended_resource && row.extended_resource->value == "nvidia.com/gpu";
      });
  if (is_served_by_class) return;
  for (const PodRequest& pod : deployment.pods) {
    const GpuAsk* claim = ask_of_kind(pod, true);
    if (claim == nullptr) continue;
    if (const GpuAsk* plugin = ask_of_kind(pod, false)) {
      report.add(*pod.document, *plugin->node,
                 {.message = fmt::format("{} asks for GPUs by {} and by a claim: two owners of one "
                                         "node's GPUs",
                                         pod.title(), plugin->resource)});
      continue;
    }
    const auto other = std::ranges::find_if(deployment.pods, [&](const PodRequest& row) {
      return ask_of_kind(row, false) != nullptr && share_nodes(pod, row);
    });
    if (other == deployment.pods.end() || claim->node == nullptr) continue;
    report.add(
        *pod.document, *claim->node,
        {.message = fmt::format("{} takes GPUs by claim and {} by {}, both on the same nodes",
                                pod.title(), other->title(), ask_of_kind(*other, false)->resource),
         .severity = domain::Severity::Warning});
  }
}

}  // namespace gpushape::review::rules_of
