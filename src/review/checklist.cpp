#include "review/checklist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "review/checklist_evidence.hpp"

namespace gpushape::review {

using domain::ChecklistAnswer;
using domain::Finding;

namespace {

MaybeTold own_control_plane(const ChecklistEvidence& evidence) {
  return first_of({evidence.found({"RV-12", "RV-13"}),
                   evidence.stated("controlPlane", &domain::PlatformFacts::control_plane,
                                   [](domain::ControlPlane value) {
                                     return value == domain::ControlPlane::Virtual;
                                   }),
                   evidence.tenant_cluster(false, "virtual clusters on shared hosts")});
}

MaybeTold built_in_isolation(const ChecklistEvidence& evidence) {
  if (auto told = evidence.found({"RV-14", "RV-16"})) return told;
  for (const auto& [platform, root, facts] : evidence.all().platforms) {
    if (facts.safety_rests_on.empty()) continue;
    const bool has = std::ranges::find(facts.safety_rests_on, domain::SafetyBasis::Architecture) !=
                     facts.safety_rests_on.end();
    return Told{has, "safetyRestsOn of the Platform document", facts.place};
  }
  return evidence.tenant_cluster(true, "tenants have control planes and nodes of their own");
}

MaybeTold node_isolation(const ChecklistEvidence& evidence) {
  if (auto told = evidence.found({"RV-15"})) return told;
  if (auto told = evidence.stated("nodes", &domain::PlatformFacts::nodes, [](auto value) {
        return value != domain::NodeTenancy::Shared;
      })) {
    return told;
  }
  if (auto told = evidence.tenant_cluster(true, "nodes that belong to the tenant")) {
    return told;
  }
  for (const PodRequest& pod : evidence.all().pods) {
    if (pod.gpus.empty() || pod.node_selector.empty() || pod.tolerations == nullptr) continue;
    return ChecklistEvidence::yes(
        *pod.document, *pod.node_selector.front().node,
        fmt::format("{} selects its nodes and tolerates their taint", pod.title()));
  }
  return std::nullopt;
}

MaybeTold private_nodes(const ChecklistEvidence& evidence) {
  if (auto told = evidence.stated("nodes", &domain::PlatformFacts::nodes, [](auto value) {
        return value != domain::NodeTenancy::Shared;
      })) {
    return told;
  }
  if (auto told = evidence.tenant_cluster(true, "private or automatic nodes")) return told;
  for (const KubernetesCluster& cluster : evidence.all().clusters) {
    if (cluster.pools.empty()) continue;
    return ChecklistEvidence::yes(*cluster.document, *cluster.pools.front().node,
                                  fmt::format("cluster {} has a pool of its own", cluster.name));
  }
  for (const VirtualClusterValues& values : evidence.all().virtual_clusters) {
    return ChecklistEvidence::no(*values.document, *values.root,
                                 "the virtual cluster shares its nodes");
  }
  return std::nullopt;
}

MaybeTold separate_network_and_storage(const ChecklistEvidence& evidence) {
  if (auto told = evidence.found({"RV-20"})) return told;
  for (const auto& [platform, root, facts] : evidence.all().platforms) {
    if (!facts.network || !facts.storage) continue;
    const bool are = *facts.network == domain::Separation::Separate &&
                     *facts.storage == domain::Separation::Separate;
    return Told{are, "network and storage of the Platform document", facts.place};
  }
  const Object* policy = nullptr;
  std::set<std::string> storage_classes;
  for (const Object& object : evidence.all().objects) {
    if (object.kind == "NetworkPolicy" && policy == nullptr) policy = &object;
  }
  for (const VolumeClaim& claim : evidence.all().volume_claims) {
    if (claim.storage_class) storage_classes.insert(claim.storage_class->value);
  }
  if (policy == nullptr || storage_classes.size() < 2) return std::nullopt;
  return ChecklistEvidence::yes(
      *policy->document, *policy->root,
      fmt::format("network policies, and {} storage classes", storage_classes.size()));
}

/// MIG or a vGPU that some document names.
MaybeTold hardware_share(const ChecklistEvidence& evidence) {
  for (const PodRequest& pod : evidence.all().pods) {
    for (const GpuAsk& ask : pod.gpus) {
      const bool is_instance = ask.kind == GrantKind::MigInstance ||
                               (ask.kind == GrantKind::Claim && ask.resource == "mig.nvidia.com");
      if (!is_instance && ask.kind != GrantKind::VirtualGpu) continue;
      return ChecklistEvidence::yes(
          *pod.document, *ask.node,
          fmt::format("{} takes {}", pod.title(), is_instance ? "a MIG instance" : "a vGPU"));
    }
  }
  for (const VmClass& vm : evidence.all().vm_classes) {
    for (const VmDevice& device : vm.devices) {
      if (device.profile.empty()) continue;
      return ChecklistEvidence::yes(
          *vm.document, *device.node,
          fmt::format("{} takes the vGPU {}", title_of(vm), device.profile));
    }
  }
  for (const LayoutConfig& config : evidence.all().layouts) {
    return ChecklistEvidence::yes(*config.document, *config.root,
                                  fmt::format("GPUs are cut by the layout {}", config.name));
  }
  return std::nullopt;
}

MaybeTold time_slicing(const ChecklistEvidence& evidence) {
  for (const PluginConfig& config : evidence.all().plugin_configs) {
    if (config.time_slicing == nullptr) continue;
    return ChecklistEvidence::no(*config.document, *config.time_slicing,
                                 "the device plugin hands one GPU to several pods in turn");
  }
  return std::nullopt;
}

MaybeTold shares_without_blast_radius(const ChecklistEvidence& evidence) {
  return first_of({evidence.found({"RV-02", "RV-13", "RV-14", "RV-15"}), time_slicing(evidence),
                   hardware_share(evidence)});
}

MaybeTold undisturbed(const ChecklistEvidence& evidence) {
  return first_of({time_slicing(evidence), hardware_share(evidence)});
}

MaybeTold organization_wide(const ChecklistEvidence& evidence) {
  return first_of({evidence.found({"RV-17"}),
                   evidence.stated("utilizationScope", &domain::PlatformFacts::utilization_scope,
                                   [](domain::UtilizationScope value) {
                                     return value == domain::UtilizationScope::Organization;
                                   })});
}

MaybeTold reclaims_idle(const ChecklistEvidence& evidence) {
  for (const auto& [platform, root, facts] : evidence.all().platforms) {
    if (!facts.detects_idle && !facts.idle_action) continue;
    const bool acts = facts.idle_action && (*facts.idle_action == domain::IdleAction::Pause ||
                                            *facts.idle_action == domain::IdleAction::Reclaim);
    return Told{facts.detects_idle.value_or(false) && acts,
                "idleDetection and idleAction of the Platform document", facts.place};
  }
  return evidence.found({"RV-18"});
}

MaybeTold has_figure(const ChecklistEvidence& evidence) {
  for (const auto& [platform, root, facts] : evidence.all().platforms) {
    if (!facts.environment_minutes) continue;
    return Told{
        true, fmt::format("{:.6g} minutes, says the Platform document", *facts.environment_minutes),
        facts.place};
  }
  return std::nullopt;
}

/// Jobs end by themselves; a notebook needs a deadline.
MaybeTold is_ephemeral(const ChecklistEvidence& evidence) {
  if (auto told = evidence.found({"RV-19"})) return told;
  if (auto told =
          evidence.stated("ephemeralByDefault", &domain::PlatformFacts::is_ephemeral_by_default)) {
    return told;
  }
  for (const PodRequest& pod : evidence.all().pods) {
    const bool is_notebook = pod.kind == "Notebook";
    if (pod.gpus.empty() || (!is_notebook && !pod.ends)) continue;
    const bool has_end = pod.deadline_seconds || pod.states_lifetime();
    const std::string because =
        fmt::format("{} {} an end", pod.title(), has_end ? "states" : "does not state");
    return Told{has_end, because, pod.document->source->span(pod.place().position())};
  }
  return std::nullopt;
}

MaybeTold few_clusters(const ChecklistEvidence& evidence) {
  if (auto told = evidence.found({"RV-12"})) return told;
  for (const auto& [platform, root, facts] : evidence.all().platforms) {
    if (!facts.clusters || !facts.teams) continue;
    return Told{*facts.clusters < *facts.teams,
                fmt::format("{} clusters for {} teams, says the Platform document", *facts.clusters,
                            *facts.teams),
                facts.place};
  }
  return std::nullopt;
}

MaybeTold chooses_freely(const ChecklistEvidence& evidence) {
  return first_of(
      {evidence.stated("teamsChooseVersions", &domain::PlatformFacts::teams_choose_versions),
       evidence.tenant_cluster(false, "a control plane of its own")});
}

MaybeTold upgrades_alone(const ChecklistEvidence& evidence) {
  return first_of(
      {evidence.stated("upgradesAreSeparate", &domain::PlatformFacts::upgrades_are_separate),
       evidence.tenant_cluster(true, "nodes and drivers of its own")});
}

MaybeTold upholds_standards(const ChecklistEvidence& evidence) {
  if (auto told = evidence.stated("standards", &domain::PlatformFacts::standards,
                                  [](auto value) { return value != domain::Standards::Manual; })) {
    return told;
  }
  for (const Object& object : evidence.all().objects) {
    const bool is_policy = object.kind == "ValidatingAdmissionPolicy" ||
                           object.api_version.starts_with("kyverno.io/") ||
                           object.api_version.starts_with("constraints.gatekeeper.sh/");
    if (!is_policy) continue;
    return ChecklistEvidence::yes(
        *object.document, *object.root,
        fmt::format("{} holds every change against a rule", object.title()));
  }
  return std::nullopt;
}

MaybeTold alike_everywhere(const ChecklistEvidence& evidence) {
  return evidence.stated("sameOnAllSites", &domain::PlatformFacts::is_same_everywhere);
}

MaybeTold isolated_alike(const ChecklistEvidence& evidence) {
  return evidence.stated("sameIsolationOnAllSites",
                         &domain::PlatformFacts::isolation_is_same_everywhere);
}

MaybeTold can_change(const ChecklistEvidence& evidence) {
  if (auto told = evidence.found({"RV-04", "RV-05"})) return told;
  for (const Claim& claim : evidence.all().claims) {
    return ChecklistEvidence::yes(*claim.document, claim.place(),
                                  "GPUs are claimed by what they are (DRA)");
  }
  for (const VmClass& vm : evidence.all().vm_classes) {
    for (const VmDevice& device : vm.devices) {
      if (device.profile.empty()) continue;
      return ChecklistEvidence::yes(*vm.document, *device.node,
                                    fmt::format("{} takes a vGPU, which moves", title_of(vm)));
    }
  }
  return std::nullopt;
}

struct Question {
  std::string_view group;
  std::string_view text;
  MaybeTold (*answer)(const ChecklistEvidence&);
  std::string_view ask;  ///< where it can be said
};

constexpr auto kQuestions = std::to_array<Question>({
    {"isolation",
     "Has each team its own Kubernetes control plane without a physical cluster of its own?",
     own_control_plane, "controlPlane of a Platform document, or vCluster values"},
    {"isolation", "Is isolation built in rather than namespaces plus policy?", built_in_isolation,
     "safetyRestsOn of a Platform document"},
    {"isolation", "Can GPU work be isolated at the level of nodes?", node_isolation,
     "nodes of a Platform document, or pods with selectors and tolerations"},
    {"isolation", "Can GPU work run on private or dynamically assigned nodes?", private_nodes,
     "nodes of a Platform document, vCluster values, or a cluster's pools"},
    {"isolation", "Are network and storage separated as well?", separate_network_and_storage,
     "network and storage of a Platform document"},
    {"sharing", "Can teams share GPUs without a larger blast radius?", shares_without_blast_radius,
     "manifests that name MIG instances or vGPUs"},
    {"sharing", "Does something keep one GPU workload from disturbing another?", undisturbed,
     "manifests that name MIG instances, vGPUs or the device plugin's sharing"},
    {"sharing", "Is utilization looked at across the organization rather than per cluster?",
     organization_wide, "utilizationScope of a Platform document"},
    {"sharing", "Can idle GPU capacity be found and reclaimed?", reclaims_idle,
     "idleDetection and idleAction of a Platform document"},
    {"operations", "Is it known how long it takes until a new GPU environment is there?",
     has_figure, "environmentMinutes of a Platform document"},
    {"operations", "Can environments be made on demand without the platform team?",
     [](const ChecklistEvidence& evidence) {
       return evidence.stated("selfService", &domain::PlatformFacts::has_self_service);
     },
     "selfService of a Platform document"},
    {"operations", "Are environments ephemeral by default?", is_ephemeral,
     "ephemeralByDefault of a Platform document, or ends of notebooks and jobs"},
    {"operations", "Does the number of physical clusters grow slower than that of the teams?",
     few_clusters, "clusters and teams of a Platform document"},
    {"autonomy", "Can teams configure and run their environments freely?", chooses_freely,
     "teamsChooseVersions of a Platform document"},
    {"autonomy", "Can teams upgrade and experiment without touching others?", upgrades_alone,
     "upgradesAreSeparate of a Platform document"},
    {"autonomy", "Are standards upheld without the platform team in every change?",
     upholds_standards, "standards of a Platform document, or admission policies"},
    {"longevity", "Does the platform behave the same in cloud, on premises and hybrid?",
     alike_everywhere, "sameOnAllSites of a Platform document"},
    {"longevity", "Are the same tenancy and isolation models available everywhere?", isolated_alike,
     "sameIsolationOnAllSites of a Platform document"},
    {"longevity", "Can it change as the GPU strategy changes?", can_change,
     "manifests with vGPU profiles or claims rather than fixed devices"},
});

}  // namespace

std::vector<ChecklistAnswer> answer_checklist(const Deployment& deployment,
                                              std::span<const Finding> findings) {
  const ChecklistEvidence evidence(deployment, findings);
  std::vector<ChecklistAnswer> answers;
  for (const Question& question : kQuestions) {
    ChecklistAnswer answer;
    answer.number = static_cast<int>(answers.size()) + 1;
    answer.group = question.group;
    answer.question = question.text;
    if (MaybeTold told = question.answer(evidence)) {
      answer.is_yes = told->is_yes;
      answer.because = std::move(told->because);
      answer.place = std::move(told->place);
    } else {
      answer.ask = question.ask;
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gpushape::review
