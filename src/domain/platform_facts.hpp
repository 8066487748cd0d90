// What manifests cannot say of a platform: who shares what, and how it is run. A `kind: Platform`
// document states it; rules and the buyer's checklist ask for it. What is empty is not known.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/name_table.hpp"

namespace gpushape::domain {

enum class ControlPlane { Shared, Virtual, ClusterPerTeam };
enum class NodeTenancy { Shared, Dedicated, Private };
enum class Separation { Shared, Separate };
enum class SafetyBasis { Namespaces, Quotas, Admission, Architecture };
enum class UtilizationScope { Cluster, Organization };
enum class IdleAction { None, Notify, Pause, Reclaim };
enum class Standards { Manual, Admission, Review };
/// How vSphere chooses the GPU of a same-size vGPU.
enum class AssignmentPolicy { BestPerformance, Consolidation };

struct PlatformFacts {
  std::string name;
  SourceSpan place;  ///< of the document
  std::optional<ControlPlane> control_plane;
  std::optional<NodeTenancy> nodes;
  std::optional<Separation> network;
  std::optional<Separation> storage;
  std::vector<SafetyBasis> safety_rests_on;
  std::optional<UtilizationScope> utilization_scope;
  std::optional<bool> detects_idle;
  std::optional<IdleAction> idle_action;
  std::optional<double> environment_minutes;  ///< until a new GPU environment is there
  std::optional<bool> has_self_service;
  std::optional<bool> is_ephemeral_by_default;
  std::optional<std::int64_t> clusters;
  std::optional<std::int64_t> teams;
  std::optional<bool> teams_choose_versions;
  std::optional<bool> upgrades_are_separate;
  std::optional<Standards> standards;
  std::optional<bool> is_same_everywhere;            ///< the platform, on all sites
  std::optional<bool> isolation_is_same_everywhere;  ///< tenancy and isolation models
  std::optional<AssignmentPolicy> assignment_policy;
  std::optional<bool> expects_restart;  ///< HA or maintenance without a person

  bool operator==(const PlatformFacts&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::ControlPlane> = std::to_array<NameRow<domain::ControlPlane>>({
    {domain::ControlPlane::Shared, "shared", "one for all teams"},
    {domain::ControlPlane::Virtual, "virtual", "one for each team, on shared hosts"},
    {domain::ControlPlane::ClusterPerTeam, "cluster-per-team", "a cluster for each team"},
});
template <>
inline constexpr auto kNames<domain::NodeTenancy> = std::to_array<NameRow<domain::NodeTenancy>>({
    {domain::NodeTenancy::Shared, "shared", "teams meet on a node"},
    {domain::NodeTenancy::Dedicated, "dedicated", "a pool of nodes for each team"},
    {domain::NodeTenancy::Private, "private", "nodes that belong to a team's own control plane"},
});
template <>
inline constexpr auto kNames<domain::Separation> = std::to_array<NameRow<domain::Separation>>({
    {domain::Separation::Shared, "shared", "one for all"},
    {domain::Separation::Separate, "separate", "one for each team"},
});
template <>
inline constexpr auto kNames<domain::SafetyBasis> = std::to_array<NameRow<domain::SafetyBasis>>({
    {domain::SafetyBasis::Namespaces, "namespaces", "names that part objects"},
    {domain::SafetyBasis::Quotas, "quotas", "limits on what a team may ask for"},
    {domain::SafetyBasis::Admission, "admission", "policies that refuse objects"},
    {domain::SafetyBasis::Architecture, "architecture", "parts that teams do not share"},
});
template <>
inline constexpr auto kNames<domain::UtilizationScope> =
    std::to_array<NameRow<domain::UtilizationScope>>({
        {domain::UtilizationScope::Cluster, "cluster", "each cluster by itself"},
        {domain::UtilizationScope::Organization, "organization", "all of them together"},
    });
template <>
inline constexpr auto kNames<domain::IdleAction> = std::to_array<NameRow<domain::IdleAction>>({
    {domain::IdleAction::None, "none", "nothing happens"},
    {domain::IdleAction::Notify, "notify", "somebody is told"},
    {domain::IdleAction::Pause, "pause", "the workload is suspended"},
    {domain::IdleAction::Reclaim, "reclaim", "the GPU is given back"},
});
template <>
inline constexpr auto kNames<domain::Standards> = std::to_array<NameRow<domain::Standards>>({
    {domain::Standards::Manual, "manual", "the platform team looks at every change"},
    {domain::Standards::Admission, "admission", "rules in the cluster"},
    {domain::Standards::Review, "review", "this review in CI"},
});
template <>
inline constexpr auto kNames<domain::AssignmentPolicy> =
    std::to_array<NameRow<domain::AssignmentPolicy>>({
        {domain::AssignmentPolicy::BestPerformance, "best-performance",
         "vGPUs are spread over all GPUs"},
        {domain::AssignmentPolicy::Consolidation, "consolidation",
         "a GPU is filled before the next one is taken"},
    });
}  // namespace gpushape
