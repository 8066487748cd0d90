// The target `leader-worker-set`: an instance that spans several nodes as a group of pods, one on
// each, started and ended together (kubernetes-sigs/lws, leaderworkerset.x-k8s.io/v1). The group's
// own environment tells an engine which of the nodes it is (lws docs, LWS_LEADER_ADDRESS,
// LWS_GROUP_SIZE, LWS_WORKER_INDEX).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "domain/engine_command.hpp"
#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

constexpr std::string_view kRoleLabel = "gpushape.dev/role";

struct GroupSetting {
  std::string_view setting;
  std::string_view value;
  std::string_view why;
  bool is_of_workers;  ///< the leader goes without
};
constexpr auto kGroupSettings = std::to_array<GroupSetting>({
    {"nodes", "$(LWS_GROUP_SIZE)", "pods of the group", false},
    {"nodeRank", "$(LWS_WORKER_INDEX)", "0 is the leader", false},
    {"leaderAddress", "$(LWS_LEADER_ADDRESS)", "where the leader's pod is found", false},
    {"leaderAddressAndPort", "$(LWS_LEADER_ADDRESS):20000", "where the leader's pod is found",
     false},
    {"headless", "", "only the leader answers requests", true},
});

/// How the engine is told of its group; refused where it has no flags for it.
Result<EngineStart> start_in_group(const Serving& serving, bool is_worker) {
  EngineStart start = serving.start;
  const auto version = domain::engine_version(serving.picked.contract.engine_version);
  bool has_nodes = false;
  for (const domain::EngineFlagName& flag : serving.request.engine_command->flags) {
    const auto row = std::ranges::find(kGroupSettings, flag.setting, &GroupSetting::setting);
    if (row == kGroupSettings.end() || (row->is_of_workers && !is_worker)) continue;
    if (version && flag.since && *version < *flag.since) continue;
    has_nodes = has_nodes || row->setting == "nodes";
    start.flags.push_back(
        {flag.setting, flag.flag, std::string(row->value), std::string(row->why)});
  }
  if (has_nodes) return start;
  return failure(
      fmt::format("leader-worker-set: {} {} has no flags for an instance on {} nodes", start.engine,
                  serving.picked.contract.engine_version, serving.picked.shape.nodes),
      "add --engine vllm or --engine sglang");
}

Node pod_template(const Serving& serving, std::string_view role, Node spec) {
  Node metadata = pod_metadata(serving);
  for (Node::Entry& entry : metadata.entries()) {
    if (entry.name == "labels") entry.value.set(std::string(kRoleLabel), role);
  }
  return map({{"metadata", std::move(metadata)}, {"spec", std::move(spec)}});
}

/// A worker answers no requests: nothing asks it, and it listens on no port.
Node without_server(Node spec) {
  for (Node::Entry& entry : spec.entries()) {
    if (entry.name != "containers") continue;
    std::erase_if(entry.value.items().front().entries(), [](const Node::Entry& field) {
      return field.name.ends_with("Probe") || field.name == "ports";
    });
  }
  return spec;
}

Node group(const Serving& serving, Node leader, Node worker) {
  const Commenter comment(serving.request);
  const domain::Shape& shape = serving.picked.shape;
  return map(
      {{"apiVersion", comment.above(Node("leaderworkerset.x-k8s.io/v1"), headline(serving.picked))},
       {"kind", "LeaderWorkerSet"},
       {"metadata", metadata(serving.request, serving.name, serving.picked,
                             {{std::string(kNameLabel), serving.name}}, {})},
       {"spec",
        map({{"replicas", serving.replicas},
             {"rolloutStrategy",
              comment.above(map({{"type", "RollingUpdate"},
                                 {"rollingUpdateConfiguration",
                                  map({{"maxUnavailable", 1}, {"maxSurge", 0}})}}),
                            "no spare nodes are known: the old group goes before the new one "
                            "comes")},
             {"leaderWorkerTemplate",
              map({{"size", comment.behind(Node(shape.nodes),
                                           fmt::format("nodes of one instance, {} GPUs on each",
                                                       devices_of_pod(shape)))},
                   {"restartPolicy", comment.behind(Node("RecreateGroupOnPodRestart"),
                                                    "ranks cannot join a running group")},
                   {"leaderTemplate", pod_template(serving, "leader", std::move(leader))},
                   {"workerTemplate",
                    pod_template(serving, "worker", without_server(std::move(worker)))}})}})}});
}

/// Only leaders answer.
Node leader_service(const Serving& serving) {
  Node root = engine_service(serving);
  for (Node::Entry& entry : root.entries()) {
    if (entry.name != "spec") continue;
    for (Node::Entry& field : entry.value.entries()) {
      if (field.name == "selector") field.value.set(std::string(kRoleLabel), "leader");
    }
  }
  return root;
}

}  // namespace

Result<Emitted> emit_leader_worker_set(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "leader-worker-set");
  if (!serving) return failure(std::move(serving.error()));
  if (serving->picked.shape.nodes < 2) {
    return failure(fmt::format("leader-worker-set is for an instance on several nodes, and {} fits "
                               "one",
                               shape_label(serving->picked.shape)),
                   "`-o deployment` can, and `-o hami` a share of a card");
  }
  if (serving->start.engine.empty())
    return failure("leader-worker-set cannot express a demand without a model",
                   "`-o contract` can");
  Result<Grant> grant = usual_grant(request, serving->picked, "leader-worker-set");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  std::vector<Node> pods;
  const EngineStart alone = serving->start;
  for (const bool is_worker : {false, true}) {
    Result<EngineStart> start = start_in_group(*serving, is_worker);
    if (!start) return failure(std::move(start.error()));
    serving->start = std::move(*start);
    pods.push_back(pod_spec(*serving, "engine"));
    serving->start = alone;
  }
  std::vector<Node> documents = documents_beside(*serving);
  documents.push_back(group(*serving, std::move(pods[0]), std::move(pods[1])));
  documents.push_back(leader_service(*serving));
  return emitted_of(*serving, std::move(documents));
}

}  // namespace gpushape::emit
