// Controllers: how many pods of which template, and how they are replaced.
#include <algorithm>
#include <utility>

#include "review/gpu_asks.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/pod_parts.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostPods = 1'000'000;

std::int64_t bounded(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, kMostPods); }

void take_replicas(const Node& holder, Path path, PodRequest& pod) {
  pod.stated_replicas = integer_at(holder, path);
  if (pod.stated_replicas) pod.replicas = bounded(pod.stated_replicas->value);
}

/// A Deployment's `strategy`, a StatefulSet's and a DaemonSet's `updateStrategy`.
void take_strategy(const Node& spec, PodRequest& pod) {
  const Node* strategy = spec.find("strategy");
  if (strategy == nullptr) strategy = spec.find("updateStrategy");
  if (strategy == nullptr) return;
  pod.strategy = text_at(*strategy, {"type"});
  const auto word = [&](std::string_view name) -> std::optional<Located<std::string>> {
    const Node* node = at(*strategy, {"rollingUpdate", name});
    if (node == nullptr) return std::nullopt;
    return Located<std::string>{word_of(*node), node};
  };
  pod.max_surge = word("maxSurge");
  pod.max_unavailable = word("maxUnavailable");
}

/// A KubeVirt VM's memory: what the guest is promised.
std::optional<Located<double>> guest_memory(const Node& spec) {
  if (auto guest = quantity_at(spec, {"domain", "memory", "guest"})) return guest;
  return quantity_at(spec, {"domain", "resources", "requests", "memory"});
}

}  // namespace

void read_pod(const Object& object, Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  read_pod_template(object.root, pod);
  pod.ends = word_at(*object.root, {"spec", "restartPolicy"}) == "Never";
  deployment.pods.push_back(std::move(pod));
}

void read_controller(const Object& object, Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  const Node* spec = object.root->find("spec");
  const Node* pod_template = at(spec, {"template"});
  if (pod_template == nullptr) pod_template = object.root->find("template");
  if (pod_template == nullptr) return;
  if (spec != nullptr) {
    take_replicas(*spec, {"replicas"}, pod);
    take_strategy(*spec, pod);
    if (object.kind == "Job") {
      pod.ends = true;
      pod.is_suspended = is_set(*spec, {"suspend"});
      take_replicas(*spec, {"parallelism"}, pod);
      pod.deadline_seconds = quantity_at(*spec, {"activeDeadlineSeconds"});
    }
  }
  read_pod_template(pod_template, pod);
  deployment.pods.push_back(std::move(pod));
}

void read_cron_job(const Object& object, Deployment& deployment) {
  const Node* job = at(*object.root, {"spec", "jobTemplate", "spec"});
  if (job == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.ends = true;
  take_replicas(*job, {"parallelism"}, pod);
  pod.deadline_seconds = quantity_at(*job, {"activeDeadlineSeconds"});
  read_pod_template(job->find("template"), pod);
  deployment.pods.push_back(std::move(pod));
}

void read_leader_worker_set(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  const Node* group = spec->find("leaderWorkerTemplate");
  if (group == nullptr) return;
  const auto size = integer_at(*group, {"size"});
  const std::int64_t pods = size ? bounded(size->value) : 1;
  const Node* leader = group->find("leaderTemplate");
  const Node* worker = group->find("workerTemplate");
  for (const Node* each : {leader, worker}) {
    if (each == nullptr) continue;
    PodRequest pod = begin_pod(*object.document, *object.root);
    take_replicas(*spec, {"replicas"}, pod);
    pod.part = each == leader ? "leader" : "worker";
    pod.pods_per_replica = each == leader ? 1 : std::max<std::int64_t>(pods - (leader ? 1 : 0), 0);
    if (const Node* rollout = spec->find("rolloutStrategy")) {
      pod.strategy = text_at(*rollout, {"type"});
    }
    read_pod_template(each, pod);
    deployment.pods.push_back(std::move(pod));
  }
}

void read_job_set(const Object& object, Deployment& deployment) {
  const Node* jobs = at(*object.root, {"spec", "replicatedJobs"});
  if (jobs == nullptr) return;
  for (const Node& job : jobs->items()) {
    PodRequest pod = begin_pod(*object.document, *object.root);
    pod.ends = true;
    pod.part = word_at(job, {"name"});
    take_replicas(job, {"replicas"}, pod);
    if (const auto parallel = integer_at(job, {"template", "spec", "parallelism"})) {
      pod.pods_per_replica = bounded(parallel->value);
    }
    read_pod_template(at(job, {"template", "spec", "template"}), pod);
    deployment.pods.push_back(std::move(pod));
  }
}

void read_volcano_job(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  const Node* tasks = at(spec, {"tasks"});
  if (tasks == nullptr) return;
  for (const Node& task : tasks->items()) {
    PodRequest pod = begin_pod(*object.document, *object.root);
    pod.ends = true;
    pod.part = word_at(task, {"name"});
    take_replicas(task, {"replicas"}, pod);
    read_pod_template(task.find("template"), pod);
    if (!pod.scheduler) pod.scheduler = text_at(*spec, {"schedulerName"});
    deployment.pods.push_back(std::move(pod));
  }
}

/// Kubeflow's trainers: pytorchReplicaSpecs {Master, Worker} and their like.
void read_training_job(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  for (const Node::Entry& entry : spec->entries()) {
    if (!entry.name.ends_with("ReplicaSpecs")) continue;
    for (const Node::Entry& part : entry.value.entries()) {
      PodRequest pod = begin_pod(*object.document, *object.root);
      pod.ends = true;
      pod.part = part.name;
      take_replicas(part.value, {"replicas"}, pod);
      read_pod_template(part.value.find("template"), pod);
      deployment.pods.push_back(std::move(pod));
    }
  }
}

/// KubeRay starts Ray in the first container, whatever the image would start; words of the
/// container's own run behind it.
void take_ray_template(const Node* pod_template, PodRequest& pod) {
  read_pod_template(pod_template, pod);
  const auto first = std::ranges::find(pod.containers, false, &Container::is_init);
  if (first != pod.containers.end()) first->has_command = true;
}

namespace {

void read_ray_cluster(const Object& object, const Node& spec, Deployment& deployment) {
  if (const Node* head = spec.find("headGroupSpec")) {
    PodRequest pod = begin_pod(*object.document, *object.root);
    pod.part = "head";
    take_ray_template(head->find("template"), pod);
    deployment.pods.push_back(std::move(pod));
  }
  const Node* groups = spec.find("workerGroupSpecs");
  if (groups == nullptr) return;
  for (const Node& group : groups->items()) {
    PodRequest pod = begin_pod(*object.document, *object.root);
    pod.part = word_at(group, {"groupName"});
    take_replicas(group, {"replicas"}, pod);
    if (const auto hosts = integer_at(group, {"numOfHosts"})) {
      pod.pods_per_replica = bounded(hosts->value);
    }
    take_ray_template(group.find("template"), pod);
    deployment.pods.push_back(std::move(pod));
  }
}

}  // namespace

void read_ray(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  for (const std::string_view inner : {"rayClusterConfig", "rayClusterSpec"}) {
    if (at(spec, {inner}) != nullptr) spec = spec->find(inner);
  }
  if (spec != nullptr) read_ray_cluster(object, *spec, deployment);
}

void read_ray_service(const Object& object, Deployment& deployment) {
  read_ray(object, deployment);
  read_ray_llm(object, deployment);
}

/// AIBrix's RayClusterFleet: a Deployment of Ray clusters.
void read_ray_fleet(const Object& object, Deployment& deployment) {
  const Node* spec = at(*object.root, {"spec", "template", "spec"});
  if (spec != nullptr) read_ray_cluster(object, *spec, deployment);
}

void read_kubevirt(const Object& object, Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  const Node* pod_template = at(*object.root, {"spec", "template"});
  read_pod_template(pod_template == nullptr ? object.root : pod_template, pod);
  if (pod.spec != nullptr) {
    pod.guest_memory_bytes = guest_memory(*pod.spec);
    // Its resources stand at the domain: one container runs the machine.
    Container machine;
    machine.node = at(*pod.spec, {"domain"});
    if (machine.node != nullptr) {
      machine.name = "compute";
      machine.requests = amounts_of(at(*machine.node, {"resources", "requests"}));
      machine.limits = amounts_of(at(*machine.node, {"resources", "limits"}));
      pod.containers.push_back(std::move(machine));
    }
  }
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
