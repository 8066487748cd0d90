// VC-26: a host for VMs keeps its sockets whole. Sub-NUMA clustering and NPS2 or NPS4 make nodes
// that a GPU's VM outgrows (F. Denneman, Sub-NUMA Clustering).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Where the cluster's own document says it, else the first thing that may land there.
void report_cut_socket(const Deployment& deployment, const document::Node* cut, Remark remark,
                       Report& report) {
  if (cut != nullptr) {
    report.add(*deployment.own_cluster_document, *cut, std::move(remark));
    return;
  }
  const auto vm = std::ranges::find_if(deployment.vm_classes,
                                       [](const VmClass& row) { return !row.devices.empty(); });
  if (vm != deployment.vm_classes.end()) report.add(*vm->document, vm->place(), std::move(remark));
}

/// `numaNodesPerSocket` of the host of that name.
const document::Node* place_of_cut(const Deployment& deployment, std::string_view name) {
  if (deployment.request->cluster != nullptr || deployment.own_cluster_document == nullptr) {
    return nullptr;
  }
  const document::Node* hosts = deployment.own_cluster_document->root.find("hosts");
  if (hosts == nullptr) return nullptr;
  for (const document::Node& host : hosts->items()) {
    const std::string written = word_at(host, {"name"});
    if (!name.starts_with(written)) continue;
    if (const auto* node = at(host, {"hardware", "numaNodesPerSocket"})) return node;
  }
  return nullptr;
}

}  // namespace

void vc_26(const Deployment& deployment, Report& report) {
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return;
  std::vector<const domain::ClusterHost*> cut;
  for (const domain::ClusterHost& host : cluster->hosts) {
    // Without VMs the pods of a node take cores and memory of any of them.
    const bool is_virtual = host.hardware && !host.hardware->release.empty();
    if (is_virtual && host.hardware->numa_nodes_per_socket > 1 && !host.gpus.empty()) {
      cut.push_back(&host);
    }
  }
  if (cut.empty() || !cut.front()->numa) return;
  const domain::Host& hardware = *cut.front()->hardware;
  report_cut_socket(
      deployment, place_of_cut(deployment, cut.front()->name),
      {.message = fmt::format(
           "{} cut{} each socket into {} NUMA nodes of {} cores and {} for VMs",
           names_of_hosts(cut), cut.size() == 1 ? "s" : "", hardware.numa_nodes_per_socket,
           cut.front()->numa->millicores_per_node / domain::kMillicoresPerCore,
           gib_text(static_cast<double>(cut.front()->numa->memory_per_node.count())))},
      report);
}

}  // namespace gpushape::review::rules_of
