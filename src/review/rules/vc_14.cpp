// VC-14: numa.nodeAffinity holds on every host that may run the VM. It names physical nodes: where
// GPUs sit on others it pins the VM away from them, and a VM that is to move or restart takes it
// along (F. Denneman, vSphere 8 CPU Topology Device Assignment).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// "0,1" -> {0, 1}; nothing for anything else.
std::set<int> nodes_in(std::string_view text) {
  std::set<int> nodes;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t first = word.find_first_not_of(' ');
    int node = -1;
    if (first == std::string_view::npos) return {};
    std::from_chars(word.data() + first, word.data() + word.size(), node);
    if (node < 0) return {};
    nodes.insert(node);
  }
  return nodes;
}

/// A host whose GPUs of that kind all sit elsewhere: its name and their node.
std::string host_elsewhere(const Deployment& deployment, const VmClass& vm,
                           const std::set<int>& nodes) {
  const domain::Device* product = product_of(vm);
  for (const domain::ClusterHost* host : hosts_for(deployment, vm)) {
    std::optional<int> other;
    bool has_near = false;
    for (const domain::Gpu& gpu : host->gpus) {
      if (gpu.device != product->id) continue;
      has_near = has_near || !gpu.numa_node || nodes.contains(*gpu.numa_node);
      if (gpu.numa_node) other = gpu.numa_node;
    }
    if (!has_near && other) return fmt::format("on {} its GPU sits on node {}", host->name, *other);
  }
  return {};
}

}  // namespace

void vc_14(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const ExtraOption* option = vm.option("numa.nodeAffinity");
    if (option == nullptr || vm.devices.empty()) continue;
    const std::set<int> nodes = nodes_in(option->value);
    if (nodes.empty()) continue;
    std::string against = host_elsewhere(deployment, vm, nodes);
    if (against.empty()) {
      against = reason_to_move(deployment, vm);
      if (!against.empty()) against = "its VMs are to move or restart: " + against;
    }
    if (against.empty()) continue;
    report.add(*vm.document, *option->node,
               {.message = fmt::format("{} is tied to NUMA node {} by numa.nodeAffinity, and {}",
                                       title_of(vm), option->value, against)});
  }
}

}  // namespace gpushape::review::rules_of
