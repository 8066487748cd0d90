// The targets `kai` and `run-ai`: a deployment under KAI Scheduler, with a queue that has room for
// it, and under NVIDIA Run:ai, whose projects have their queues already. Both read the same
// annotations for shares (KAI 0.13 docs/gpu-sharing; Run:ai default scheduler).

#include <fmt/format.h>

#include <cmath>

#include "emit/deployments.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

/// A share is bookkeeping: the process sees the whole card, so that the engine's fraction of the
/// total has to be that of the share.
void scale_utilization(Serving& serving) {
  const Bytes card = device_of(serving.request, serving.picked.shape).visible_bytes.high;
  const Bytes share = serving.picked.shape.memory_bytes;
  if (card <= share) return;
  constexpr double kThousandths = 1000;
  for (EngineFlag& flag : serving.start.flags) {
    if (flag.setting != "utilization") continue;
    const double part = static_cast<double>(share.count()) / static_cast<double>(card.count());
    const double scaled = std::floor(std::stod(flag.value) * part * kThousandths) / kThousandths;
    flag.why = fmt::format("{} of the share: the process sees the whole card", flag.value);
    flag.value = fmt::format("{}", scaled);
  }
}

Result<Grant> shared_grant(Serving& serving, std::string_view target) {
  if (!is_software_share(serving.picked.shape))
    return usual_grant(serving.request, serving.picked, target);
  scale_utilization(serving);
  Grant grant;
  grant.annotations = {{"gpu-memory", std::to_string(share_of(serving).mebibytes)}};
  return grant;
}

/// Quota and limit of the queue: what the replicas take, no more.
Node room(Node amount) {
  return map({{"quota", amount}, {"limit", amount}, {"overQuotaWeight", 1}});
}

Node queue(const Serving& serving) {
  const Commenter comment(serving.request);
  EmitRequest cluster_wide = serving.request;
  cluster_wide.name_space.clear();  // queues have none
  const domain::Shape& shape = serving.picked.shape;
  const double gpus =
      static_cast<double>(serving.replicas) *
      (is_software_share(shape) ? shape.compute_share : static_cast<double>(shape.count));
  constexpr std::int64_t kMillicores = 1000;
  constexpr std::int64_t kMegabyte = 1'000'000;
  const std::int64_t megabytes = (serving.memory.count() + kMegabyte - 1) / kMegabyte;
  return map(
      {{"apiVersion", "scheduling.run.ai/v2"},
       {"kind", "Queue"},
       {"metadata", metadata(cluster_wide, serving.name, serving.picked)},
       {"spec",
        map({{"parentQueue", comment.behind(Node("default"), "the queue of your department")},
             {"resources",
              map({{"gpu", room(gpus)},
                   {"cpu", comment.above(room(serving.replicas * serving.cpus * kMillicores),
                                         "millicores")},
                   {"memory", comment.above(room(serving.replicas * megabytes), "MB")}})}})}});
}

}  // namespace

Result<Emitted> emit_kai(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "kai");
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = shared_grant(*serving, "kai");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  serving->grant.scheduler = "kai-scheduler";
  serving->grant.labels.push_back({"kai.scheduler/queue", serving->name});
  if (is_software_share(serving->picked.shape))
    serving->notes.push_back(serving->name + ": KAI counts a share and does not enforce it");
  if (!serving->grant.claim.empty())
    serving->notes.push_back(serving->name + ": KAI's support of DRA is off by default");
  return deployed(*serving, {queue(*serving)}, {{"kai.scheduler/queue", serving->name}});
}

Result<Emitted> emit_run_ai(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "run-ai");
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = shared_grant(*serving, "run-ai");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  serving->grant.scheduler = "runai-scheduler";
  const std::string project = request.name_space.empty() ? "default" : request.name_space;
  serving->grant.labels.push_back({"runai/queue", project});
  serving->notes.push_back(
      fmt::format("{}: the Run:ai project {} has to exist (--namespace names "
                  "another)",
                  serving->name, project));
  return deployed(*serving, {}, {{"runai/queue", project}});
}

}  // namespace gpushape::emit
