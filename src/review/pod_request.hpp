// What runs, and what it asks for: one PodRequest for every pod template, whatever the controller
// (Deployment, Job, LeaderWorkerSet, KServe, Dynamo, a chart's values …), and for what starts an
// engine without a cluster: a compose service, a shell script, a systemd unit. Borrows the
// documents.
//
// Fields of a chart or a serving kind that become flags of an engine (tensorParallelSize) stand
// among the words of the container's command, marked `is_field`, at their own places.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/name_table.hpp"
#include "review/claims.hpp"
#include "review/engine_call.hpp"
#include "review/fields.hpp"

namespace gpushape::review {

struct EnvironmentVariable {
  std::string name;
  std::string value;                     ///< empty where it comes from elsewhere
  bool is_reference = false;             ///< valueFrom: a secret, a field …
  const document::Node* node = nullptr;  ///< of the value
};

/// Times in seconds, the defaults of Kubernetes filled in.
struct Probe {
  const document::Node* node = nullptr;
  double initial_delay = 0;
  double period = 10;
  double timeout = 1;
  std::int64_t failures = 3;

  /// From the start of the container until the probe gives up.
  [[nodiscard]] double patience() const {
    return initial_delay + period * static_cast<double>(failures);
  }
};

struct VolumeMount {
  std::string volume;
  std::string path;
  const document::Node* node = nullptr;
};

/// `resources.claims[]`.
struct ClaimUse {
  std::string claim;    ///< name within the pod
  std::string request;  ///< "gpu", "gpu/h100"; empty: all of the claim
  const document::Node* node = nullptr;
};

struct Container {
  const document::Node* node = nullptr;
  std::string name;
  bool is_init = false;
  std::optional<Located<std::string>> image;
  /// What it starts, a shell taken apart: one command, or every one of a script. Without a
  /// `command` the words are those behind the entrypoint of the image.
  std::vector<Command> commands;
  bool has_command = false;    ///< the entrypoint of the image is replaced
  std::vector<Command> hooks;  ///< lifecycle.postStart: run beside the entrypoint
  std::vector<EnvironmentVariable> environment;
  std::vector<ResourceAmount> requests;
  std::vector<ResourceAmount> limits;
  std::vector<ClaimUse> claims;
  std::optional<Probe> startup;
  std::optional<Probe> liveness;
  std::optional<Probe> readiness;
  std::vector<VolumeMount> mounts;
  bool is_privileged = false;
  std::optional<EngineCall> engine;

  [[nodiscard]] const ResourceAmount* request(std::string_view resource) const;
  [[nodiscard]] const ResourceAmount* limit(std::string_view resource) const;
  [[nodiscard]] const EnvironmentVariable* variable(std::string_view wanted) const;
  /// What is mounted at that path, "/dev/shm"; nullptr: nothing.
  [[nodiscard]] const VolumeMount* mount_at(std::string_view path) const;
};

enum class VolumeKind { EmptyDir, PersistentClaim, HostPath, Image, Configuration, Other };

struct Volume {
  const document::Node* node = nullptr;
  std::string name;
  VolumeKind kind = VolumeKind::Other;
  bool is_memory = false;                      ///< emptyDir of medium Memory
  std::optional<Located<double>> limit_bytes;  ///< emptyDir's sizeLimit, or a chart's size
  std::string claim;                           ///< of a PersistentClaim
  std::string path;                            ///< of a HostPath
};

/// `resourceClaims[]` of the pod.
struct PodClaim {
  const document::Node* node = nullptr;
  std::string name;
  std::optional<Located<std::string>> claim;           ///< resourceClaimName
  std::optional<Located<std::string>> claim_template;  ///< resourceClaimTemplateName
  bool has_source = false;                             ///< the old `source:` wrapper
};

/// How a pod comes by its GPUs.
enum class GrantKind {
  Plugin,       ///< whole GPUs of a device plugin: nvidia.com/gpu
  PluginShare,  ///< nvidia.com/gpu.shared
  MigInstance,  ///< nvidia.com/mig-3g.40gb
  VirtualGpu,   ///< a vGPU that KubeVirt's device plugin names: nvidia.com/NVIDIA_L40S-24Q
  Claim,        ///< DRA
  Hami,         ///< a share kept by HAMi's library
  Kai,          ///< a fraction kept by KAI or Run:ai
  Volcano,      ///< a share kept by Volcano's vGPU plugin
  Extended,     ///< another resource that looks like a GPU: amd.com/gpu, gpu.intel.com/i915
  HostDevice,   ///< the GPUs of the machine: compose, docker run --gpus, a script
};

/// GPUs that one container (or the pod, by annotation) asks for.
struct GpuAsk {
  GrantKind kind = GrantKind::Plugin;
  const Container* container = nullptr;  ///< nullptr: the pod
  std::string resource;                  ///< "nvidia.com/gpu"; of a claim: its device class
  double count = 1;                      ///< devices or shares
  bool takes_all = false;                ///< all that are there: --gpus all, allocationMode All
  std::string profile;                   ///< "3g.40gb", "NVIDIA_L40S-24Q"; empty: none is named
  std::optional<double> fraction;        ///< of the memory of one GPU, in (0, 1]
  std::optional<Bytes> memory_bytes;     ///< of each share
  std::optional<double> core_percent;
  const document::Node* node = nullptr;  ///< the amount, the annotation, the claim's use
  const Claim* claim = nullptr;          ///< where the documents hold it
  const ClaimRequest* request = nullptr;
};

/// What a PodRequest was read from.
enum class PodSource { Kubernetes, Chart, Compose, Script, SystemdUnit };

struct PodRequest {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;  ///< the object, the chart's entry, the service
  const document::Node* spec = nullptr;  ///< the pod's spec; nullptr where there is none
  PodSource source = PodSource::Kubernetes;
  std::string kind;           ///< of the object: "Deployment", "LLMInferenceService"
  std::string name;           ///< of the object
  std::string part;           ///< "decode", "worker", "leader"; empty where there is one part alone
  std::string name_space;     ///< empty: not said
  std::int64_t replicas = 1;  ///< of what is replicated as a whole
  std::optional<Located<std::int64_t>> stated_replicas;  ///< where it is written
  std::int64_t pods_per_replica = 1;                     ///< of a group: LeaderWorkerSet, multinode
  std::optional<Located<std::string>> strategy;   ///< "RollingUpdate", "Recreate"; empty: unsaid
  std::optional<Located<std::string>> max_surge;  ///< "25%", "0"
  std::optional<Located<std::string>> max_unavailable;
  std::vector<NamedText> object_labels;       ///< of the object
  std::vector<NamedText> object_annotations;  ///< of the object
  std::vector<NamedText> labels;              ///< of the pods
  std::vector<NamedText> annotations;         ///< of the pods
  std::vector<Container> containers;          ///< init containers first
  std::vector<Volume> volumes;
  std::vector<PodClaim> claims;
  /// GPUs by the names that clouds and charts give them ("H100", "nvidia-gpu-l4"); any of them.
  std::vector<NamedText> gpu_names;
  std::vector<NamedText> node_selector;
  const document::Node* affinity = nullptr;
  const document::Node* tolerations = nullptr;
  std::optional<Located<std::string>> scheduler;  ///< schedulerName
  std::optional<Located<std::string>> runtime_class;
  std::optional<Located<std::string>> priority_class;
  bool shares_host_pid = false;
  bool shares_host_ipc = false;
  bool has_whole_group = false;  ///< its GPUs are all that the pods of its group have together
  bool is_template = false;      ///< nothing of the documents uses it: it asks for nothing itself
  bool is_partly_shown = false;  ///< a template that is not among the documents adds to it
  bool is_suspended = false;
  bool ends = false;                                  ///< a Job: runs to completion
  std::optional<Located<double>> deadline_seconds;    ///< activeDeadlineSeconds
  std::optional<Located<double>> guest_memory_bytes;  ///< of a KubeVirt VM
  std::vector<GpuAsk> gpus;  ///< what all containers ask for, claims resolved

  /// Where a finding about the whole points: the object's name, or its root.
  [[nodiscard]] const document::Node& place() const;
  /// "Deployment ai/llama-70b", "DynamoGraphDeployment llama (decode)".
  [[nodiscard]] std::string title() const;
  /// Of the pods, else of the object; nullptr where neither has it.
  [[nodiscard]] const NamedText* annotation(std::string_view wanted) const;
  [[nodiscard]] const NamedText* label(std::string_view wanted) const;
  [[nodiscard]] const Volume* volume(std::string_view wanted) const;
  [[nodiscard]] const PodClaim* pod_claim(std::string_view wanted) const;
  /// An annotation of ours says when it ends: gpushape.dev/lifetime, or expires, as advise writes
  /// it.
  [[nodiscard]] bool states_lifetime() const;
  /// The container that starts an engine; nullptr where none does.
  [[nodiscard]] const Container* engine_container() const;
  /// What its containers ask for together: requests, else limits. Those that run before it do not
  /// count.
  [[nodiscard]] double amount(std::string_view resource) const;
  /// Devices or shares of one pod, all asks together.
  [[nodiscard]] double gpu_count() const;
};

}  // namespace gpushape::review
