// LD-01: a roll-out finds a spare GPU, or does without. The default strategy starts a new pod
// before an old one leaves; where every GPU is taken it waits for ever (Kubernetes, Deployment:
// rollingUpdate; maxSurge rounds up, maxUnavailable rounds down).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr double kDefaultShare = 0.25;

std::int64_t pods_of(const std::optional<Located<std::string>>& word, std::int64_t replicas,
                     bool rounds_up) {
  double share = kDefaultShare;
  if (word) {
    double value = 0;
    const std::string& text = word->value;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.ends_with('%')) return static_cast<std::int64_t>(std::clamp(value, 0.0, 1e6));
    share = std::clamp(value, 0.0, 1e4) / 100;
  }
  const double pods = share * static_cast<double>(replicas);
  return static_cast<std::int64_t>(rounds_up ? std::ceil(pods) : std::floor(pods));
}

/// What a quota of the namespace grants of that resource.
const ResourceAmount* quota_of(const Deployment& deployment, const PodRequest& pod,
                               std::string_view resource) {
  for (const ResourceQuota& quota : deployment.quotas) {
    if (!quota.name_space.empty() && !pod.name_space.empty() &&
        quota.name_space != pod.name_space) {
      continue;
    }
    for (const ResourceAmount& row : quota.hard) {
      std::string_view name = row.name;
      if (name.starts_with("requests.")) name.remove_prefix(9);
      if (name == resource && row.amount) return &row;
    }
  }
  return nullptr;
}

/// GPUs of a cluster that nothing holds; nothing where no cluster is given.
std::optional<double> free_gpus(const Deployment& deployment) {
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return std::nullopt;
  double count = 0;
  for (const domain::ClusterHost& host : cluster->hosts) {
    if (host.state != domain::HostState::Up) continue;
    count += static_cast<double>(std::ranges::count_if(host.gpus, [](const domain::Gpu& gpu) {
      return gpu.allocations.empty() && !gpu.has_failed;
    }));
  }
  return count;
}

/// maxSurge 0 and maxUnavailable 1, wherever they stand already; without either the old pod would
/// have to stay as long as the new one is not ready.
Edits replace_in_place(const PodRequest& pod) {
  const document::Node* spec = at(*pod.root, {"spec"});
  if (spec == nullptr) return {};
  const document::Node* strategy = spec->find("strategy");
  if (strategy == nullptr) {
    return add_field(
        *pod.document, *spec,
        "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}");
  }
  const document::Node* rolling = strategy->find("rollingUpdate");
  if (rolling == nullptr) {
    return add_field(*pod.document, *strategy, "rollingUpdate: {maxSurge: 0, maxUnavailable: 1}");
  }
  Edits edits;
  const auto set = [&](const std::optional<Located<std::string>>& field, std::string_view name,
                       std::string_view value) {
    Edits more = field ? replace_value(*pod.document, *field->node, value)
                       : add_field(*pod.document, *rolling, fmt::format("{}: {}", name, value));
    edits.insert(edits.end(), more.begin(), more.end());
    return !more.empty();
  };
  const bool is_set =
      set(pod.max_surge, "maxSurge", "0") && set(pod.max_unavailable, "maxUnavailable", "1");
  return is_set ? edits : Edits();
}

}  // namespace

void ld_01(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    if (pod.kind != "Deployment" || pod.replicas < 1 || pod.gpus.empty()) continue;
    if (pod.strategy && pod.strategy->value != "RollingUpdate") continue;
    if (pods_of(pod.max_unavailable, pod.replicas, false) > 0 ||
        pods_of(pod.max_surge, pod.replicas, true) < 1) {
      continue;
    }
    const auto gpus = counted_gpus(pod, nullptr);
    const GpuAsk& ask = pod.gpus.front();
    if (!gpus || ask.kind == GrantKind::HostDevice) continue;
    const document::Node& place = pod.strategy          ? *pod.strategy->node
                                  : ask.node != nullptr ? *ask.node
                                                        : pod.place();
    const double running = *gpus * static_cast<double>(pod.replicas);
    const ResourceAmount* quota = quota_of(deployment, pod, ask.resource);
    const auto spare = free_gpus(deployment);
    const bool never = (quota != nullptr && *quota->amount < running + *gpus) ||
                       (spare && *spare < running + *gpus);
    if (!never) continue;
    report.add(*pod.document, place,
               {.message = fmt::format("a roll-out of {} starts a pod with {:g} GPU{} before one "
                                       "leaves, and {} {:g}: it never finishes",
                                       pod.title(), *gpus, *gpus == 1 ? "" : "s",
                                       quota != nullptr ? "the quota grants" : "the cluster has",
                                       quota != nullptr ? *quota->amount : *spare),
                .edits = replace_in_place(pod)});
  }
}

}  // namespace gpushape::review::rules_of
