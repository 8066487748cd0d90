// The target `gpu-operator`: a ClusterPolicy that gives nodes what the shape needs, with the
// configuration that a node label selects. Beside a claim the plugin stays off: two owners of one
// card give it out twice (gpu-operator pull request 1541).

#include <fmt/format.h>

#include "document/text_format.hpp"
#include "emit/gpu_partition.hpp"
#include "emit/labels.hpp"
#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;
using domain::Technology;

namespace {

/// Configuration files live in the operator's own namespace.
constexpr std::string_view kOperatorNamespace = "gpu-operator";

Node config_map(const EmitRequest& request, const std::string& name, std::string key,
                Node content) {
  EmitRequest own = request;
  own.name_space = kOperatorNamespace;
  return map({{"apiVersion", "v1"},
              {"kind", "ConfigMap"},
              {"metadata", metadata(own, name, *request.picked.front())},
              {"data", map({{std::move(key), document::write_yaml(content)}})}});
}

std::string_view workload_of(const EmitRequest& request, Technology technology) {
  if (technology == Technology::Passthrough || is_written(request, "kubevirt"))
    return "vm-passthrough";
  return "container";
}

Node policy(const EmitRequest& request, const std::string& name, const std::string& mig_map,
            const std::string& plugin_map, const std::string& plugin_name) {
  const Commenter comment(request);
  const domain::RankedShape& picked = *request.picked.front();
  const Technology technology = picked.shape.technology;
  const bool has_claim =
      is_written(request, "resource-claim") || is_written(request, "resource-claim-template");
  const std::string_view workload = workload_of(request, technology);
  const bool is_container = workload == "container";
  Node plugin =
      map({{"enabled", comment.behind(Node(!has_claim && is_container),
                                      has_claim ? "the DRA driver owns the cards" : "")}});
  if (!has_claim && is_container)
    plugin.set("config", map({{"name", plugin_map}, {"default", plugin_name}}));
  Node manager = map({{"enabled", technology == Technology::Mig}});
  if (technology == Technology::Mig)
    manager.set("config", map({{"name", mig_map}, {"default", "all-disabled"}}));
  EmitRequest cluster_wide = request;
  cluster_wide.name_space.clear();
  Node spec = map({{"operator", Node::mapping()},
                   {"driver", map({{"enabled", is_container}})},
                   {"toolkit", map({{"enabled", is_container}})},
                   {"devicePlugin", std::move(plugin)},
                   {"dcgmExporter", Node::mapping()},
                   {"dcgm", map({{"enabled", is_container}})},
                   {"daemonsets", Node::mapping()},
                   {"gfd", Node::mapping()},
                   {"mig", map({{"strategy", technology == Technology::Mig ? "mixed" : "none"}})},
                   {"migManager", std::move(manager)},
                   {"nodeStatusExporter", map({{"enabled", false}})}});
  if (!is_container)
    spec.set("sandboxWorkloads", map({{"enabled", true}, {"defaultWorkload", workload}}));
  return map({{"apiVersion", comment.above(Node("nvidia.com/v1"), headline(picked))},
              {"kind", "ClusterPolicy"},
              {"metadata", metadata(cluster_wide, name, picked)},
              {"spec", std::move(spec)}});
}

}  // namespace

Result<Emitted> emit_gpu_operator(const EmitRequest& request) {
  if (Diagnostics faults = check_names(request); !faults.empty()) return failure(std::move(faults));
  const domain::Shape& shape = request.picked.front()->shape;
  EmitRequest plain = request;
  plain.has_comments = false;
  const Result<Partition> plugin = device_plugin(plain);
  if (!plugin) {
    return failure(
        fmt::format("gpu-operator cannot express {}: it manages NVIDIA's cards", shape.device),
        "`-o deployment` can");
  }
  const std::string name = "cluster-policy";  // the operator heeds one of them
  const std::string mig_map = fitted_label(shared_name(request) + "-mig-parted");
  const std::string plugin_map = fitted_label(shared_name(request) + "-device-plugin");
  Emitted emitted;
  std::vector<Node> documents;
  const auto tell = [&emitted](std::string_view label, const std::string& value) {
    emitted.notes.push_back(fmt::format("kubectl label node NODE {}={}", label, value));
  };
  if (shape.technology == Technology::Mig) {
    Result<Partition> mig = mig_parted(plain);
    if (!mig) return failure(std::move(mig.error()));
    documents.push_back(config_map(request, mig_map, "config.yaml", mig->document));
    tell("nvidia.com/mig.config", mig->name);
  }
  const bool has_claim =
      is_written(request, "resource-claim") || is_written(request, "resource-claim-template");
  const std::string_view workload = workload_of(request, shape.technology);
  if (!has_claim && workload == "container") {
    documents.push_back(config_map(request, plugin_map, plugin->name, plugin->document));
    tell("nvidia.com/device-plugin.config", plugin->name);
  }
  if (workload != "container") tell("nvidia.com/gpu.workload.config", std::string(workload));
  documents.push_back(policy(request, name, mig_map, plugin_map, plugin->name));
  const Commenter comment(request);
  for (Node& root : documents) comment.close(root, request);
  emitted.documents = std::move(documents);
  return emitted;
}

}  // namespace gpushape::emit
