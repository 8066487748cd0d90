#include "review/deployment.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "review/shell_words.hpp"

using namespace gpushape;
using review::Deployment;
using review::GrantKind;

namespace {

/// Keeps what a deployment borrows.
struct Reading {
  std::vector<document::Document> documents;
  review::ReviewRequest request;
  Deployment deployment;

  explicit Reading(const std::string& text) {
    auto read = document::read_yaml(text, "manifest.yaml");
    REQUIRE(read);
    documents = std::move(*read);
    request.documents = documents;
    deployment = review::read_deployment(request);
  }
};

std::vector<std::string> texts(const review::Command& words) {
  std::vector<std::string> found;
  for (const review::Word& word : words) found.push_back(word.text);
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("a Deployment becomes a pod request with everything a rule asks for") {
    const Reading read(R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: llama, namespace: ai, annotations: {gpushape.dev/concurrency: "32"}}
spec:
  replicas: 3
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: llama}}
    spec:
      schedulerName: default-scheduler
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-L40S}
      initContainers:
        - {name: fetch, image: busybox, resources: {limits: {nvidia.com/gpu: 1}}}
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.15.0
          args: [--model=$(MODEL), --max-model-len, "8192"]
          env: [{name: MODEL, value: Qwen/Qwen3-8B}, {name: TOKEN, valueFrom: {secretKeyRef: {name: t, key: k}}}]
          resources:
            requests: {cpu: 8, memory: 64Gi}
            limits: {nvidia.com/gpu: "2"}
          startupProbe: {periodSeconds: 10, failureThreshold: 180, initialDelaySeconds: 30}
          volumeMounts: [{name: shm, mountPath: /dev/shm/}]
      volumes:
        - {name: shm, emptyDir: {medium: Memory, sizeLimit: 16Gi}}
        - {name: weights, persistentVolumeClaim: {claimName: w}}
)");
    REQUIRE(read.deployment.pods.size() == 1);
    const review::PodRequest& pod = read.deployment.pods.front();
    CHECK(pod.title() == "Deployment ai/llama");
    CHECK(pod.place().position().line == 3);
    CHECK(pod.replicas == 3);
    REQUIRE(pod.strategy);
    CHECK(pod.strategy->value == "RollingUpdate");
    CHECK(pod.max_surge->value == "1");
    CHECK(pod.annotation("gpushape.dev/concurrency")->value == "32");
    CHECK(pod.label("app")->value == "llama");
    REQUIRE(pod.containers.size() == 2);
    CHECK(pod.containers[0].is_init);
    const review::Container& container = pod.containers[1];
    REQUIRE(container.commands.size() == 1);
    CHECK(texts(container.commands[0]) ==
          Texts{"--model=Qwen/Qwen3-8B", "--max-model-len", "8192"});
    CHECK(container.commands[0][1].position.line == 17);
    CHECK_FALSE(container.has_command);
    CHECK(container.startup->patience() == doctest::Approx(1830));
    CHECK(container.variable("TOKEN")->is_reference);
    REQUIRE(container.mount_at("/dev/shm") != nullptr);
    const review::Volume* shm = pod.volume(container.mount_at("/dev/shm")->volume);
    REQUIRE(shm != nullptr);
    CHECK(shm->is_memory);
    CHECK(shm->limit_bytes->value == doctest::Approx(17179869184.0));
    // The init container ends before the other begins: its GPU is not asked for beside theirs.
    REQUIRE(pod.gpus.size() == 1);
    CHECK(pod.gpus[0].kind == GrantKind::Plugin);
    CHECK(pod.gpu_count() == doctest::Approx(2));
    CHECK(pod.gpus[0].node->position().line == 21);
  }

  TEST_CASE("GPUs are found whichever way a pod asks for them") {
    struct Row {
      const char* spec;
      GrantKind kind;
      double count;
      const char* profile;
    };
    const std::vector<Row> rows = {
        {"{containers: [{resources: {limits: {nvidia.com/mig-3g.40gb: 1}}}]}",
         GrantKind::MigInstance, 1, "3g.40gb"},
        {"{containers: [{resources: {limits: {nvidia.com/gpu.shared: 2}}}]}",
         GrantKind::PluginShare, 2, ""},
        {"{containers: [{resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 20480, "
         "nvidia.com/gpucores: 30}}}]}",
         GrantKind::Hami, 1, ""},
        {"{containers: [{resources: {limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: "
         "20480}}}]}",
         GrantKind::Volcano, 2, ""},
        {"{containers: [{resources: {limits: {amd.com/gpu: 4}}}]}", GrantKind::Extended, 4, ""},
        {"{domain: {devices: {gpus: [{deviceName: nvidia.com/NVIDIA_L40S-24Q}]}}}",
         GrantKind::VirtualGpu, 1, "NVIDIA_L40S-24Q"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.spec);
      const Reading read(std::string("apiVersion: v1\nkind: Pod\nspec: ") + row.spec + "\n");
      REQUIRE(read.deployment.pods.size() == 1);
      const auto& gpus = read.deployment.pods[0].gpus;
      REQUIRE(gpus.size() == 1);
      CHECK((gpus[0].kind == row.kind));
      CHECK(gpus[0].count == doctest::Approx(row.count));
      CHECK(gpus[0].profile == row.profile);
    }
  }

  TEST_CASE("a fraction of KAI is asked for by annotations") {
    const Reading read(
        "apiVersion: v1\nkind: Pod\nmetadata: {annotations: {gpu-fraction: \"0.5\", "
        "gpu-fraction-num-devices: \"2\"}}\nspec: {containers: [{name: a}]}\n");
    const auto& gpus = read.deployment.pods[0].gpus;
    REQUIRE(gpus.size() == 1);
    CHECK((gpus[0].kind == GrantKind::Kai));
    CHECK(gpus[0].fraction == 0.5);
    CHECK(gpus[0].count == doctest::Approx(2));
  }

  TEST_CASE("a claim is followed to its requests, once for all containers") {
    const Reading read(R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus, namespace: ai}
spec:
  spec:
    devices:
      requests:
        - name: gpu
          firstAvailable:
            - {name: h200, deviceClassName: gpu.nvidia.com}
            - name: pair
              deviceClassName: gpu.nvidia.com
              count: 2
              selectors: [{cel: {expression: "true"}}]
      constraints: [{requests: [gpu], matchAttribute: resource.kubernetes.io/pcieRoot}]
---
apiVersion: v1
kind: Pod
metadata: {name: llm, namespace: ai}
spec:
  resourceClaims: [{name: g, resourceClaimTemplateName: gpus}]
  containers:
    - {name: a, resources: {claims: [{name: g}]}}
    - {name: b, resources: {claims: [{name: g, request: gpu}]}}
)");
    REQUIRE(read.deployment.claims.size() == 1);
    const review::Claim& claim = read.deployment.claims[0];
    CHECK(claim.version == "v1");
    REQUIRE(claim.requests.size() == 1);
    REQUIRE(claim.requests[0].alternatives.size() == 2);
    CHECK(claim.requests[0].alternatives[1].count == 2);
    CHECK(claim.requests[0].alternatives[1].selectors.size() == 1);
    CHECK(claim.constraints[0].match_attribute->value == "resource.kubernetes.io/pcieRoot");
    const review::PodRequest& pod = read.deployment.pods[0];
    REQUIRE(pod.gpus.size() == 1);
    CHECK(pod.gpus[0].claim == &claim);
    CHECK(pod.gpus[0].resource == "gpu.nvidia.com");
    CHECK(pod.gpus[0].count == doctest::Approx(1));
  }

  TEST_CASE("the old flat request and the old source wrapper are told apart") {
    const Reading read(R"(apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: gpu}
spec: {devices: {requests: [{name: gpu, deviceClassName: gpu.nvidia.com, count: 2}]}}
---
apiVersion: v1
kind: Pod
spec:
  resourceClaims: [{name: g, source: {resourceClaimName: gpu}}]
  containers: [{name: a, resources: {claims: [{name: g}]}}]
)");
    CHECK(read.deployment.claims[0].requests[0].is_flat);
    CHECK(read.deployment.pods[0].claims[0].has_source);
    CHECK(read.deployment.pods[0].gpu_count() == doctest::Approx(2));
  }

  TEST_CASE("a configuration inside a ConfigMap stands at its own lines") {
    const Reading read(R"(apiVersion: v1
kind: ConfigMap
metadata: {name: device-plugin}
data:
  shared: |
    version: v1
    sharing:
      timeSlicing:
        resources:
          - name: nvidia.com/gpu
            replicas: 4
  layouts: |-
    version: v1
    mig-configs:
      mixed:
        - devices: [0, 1]
          mig-enabled: true
          mig-devices: {3g.40gb: 1, 1g.10gb: 4}
)");
    REQUIRE(read.deployment.plugin_configs.size() == 1);
    const review::PluginConfig& plugin = read.deployment.plugin_configs[0];
    CHECK(plugin.name == "shared");
    REQUIRE(plugin.resources.size() == 1);
    CHECK(plugin.resources[0].replicas->value == 4);
    CHECK(plugin.resources[0].replicas->node->position().line == 11);
    CHECK(plugin.resources[0].replicas->node->position().column == 23);
    REQUIRE(read.deployment.layouts.size() == 1);
    const review::GpuLayout& layout = read.deployment.layouts[0].layouts[0];
    CHECK(layout.devices == std::vector<std::int64_t>{0, 1});
    REQUIRE(layout.profiles.size() == 2);
    CHECK(layout.profiles[1].profile.value == "1g.10gb");
    CHECK(layout.profiles[1].count == 4);
    CHECK(layout.profiles[0].position.line == 18);
  }

  TEST_CASE("a shell script is taken apart into the commands it starts") {
    const std::string script =
        "set -e\n"
        "MODEL=Qwen/Qwen3-8B\n"
        "# a comment; with a separator\n"
        "export LEN=8192 && echo ready >/dev/null 2>&1\n"
        "exec vllm serve \"$MODEL\" \\\n"
        "  --max-model-len ${LEN} --dtype '${X}' --port ${PORT:-8000}\n"
        "cat <<EOF > f\nvllm serve never\nEOF\n";
    const auto commands = review::shell_commands(script, review::place_in_file(script));
    std::vector<Texts> found;
    for (const auto& each : commands) found.push_back(texts(each.words));
    CHECK(found == std::vector<Texts>{{"set", "-e"},
                                      {"echo", "ready"},
                                      {"vllm", "serve", "Qwen/Qwen3-8B", "--max-model-len", "8192",
                                       "--dtype", "${X}", "--port", "8000"},
                                      {"cat"}});
    CHECK(commands[2].words[3].position.line == 6);
    CHECK(commands[2].words[3].position.column == 3);
    CHECK(commands[2].words[3].position.length == 15);
  }

  TEST_CASE("the words of a script inside a container stand at their own places") {
    const Reading read(R"(apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - name: vllm
      command: [bash, -lc]
      args:
        - |
          echo hello
          vllm serve m --tensor-parallel-size 2
    - name: quoted
      command: ["/bin/sh", "-c", "vllm serve m --max-num-seqs 4"]
)");
    const auto& containers = read.deployment.pods[0].containers;
    REQUIRE(containers[0].commands.size() == 2);
    const review::Word& word = containers[0].commands[1][3];
    CHECK(word.text == "--tensor-parallel-size");
    CHECK(word.position.line == 11);
    CHECK(word.position.column == 24);
    REQUIRE(containers[1].commands.size() == 1);
    const review::Word& flag = containers[1].commands[0][3];
    CHECK(flag.text == "--max-num-seqs");
    CHECK(flag.position.line == 13);
    CHECK(flag.position.column == 48);
  }

  TEST_CASE("kinds without a reader are counted and left alone") {
    const Reading read(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\n[1, 2]\n");
    REQUIRE(read.deployment.objects.size() == 3);
    CHECK_FALSE(read.deployment.objects[0].has_reader);
    CHECK(read.deployment.objects[0].title() == "Widget w");
    CHECK(read.deployment.objects[1].has_reader);
    CHECK_FALSE(read.deployment.objects[2].has_reader);
  }

  TEST_CASE("groups, heads, tasks and replica specs are pods of their own") {
    const Reading read(R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: l}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 4
    leaderTemplate: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}
    workerTemplate: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]}}
---
apiVersion: ray.io/v1
kind: RayService
metadata: {name: r}
spec:
  rayClusterConfig:
    headGroupSpec: {template: {spec: {containers: [{name: h}]}}}
    workerGroupSpecs:
      - {groupName: gpu, replicas: 3, template: {spec: {containers: [{name: w}]}}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: t}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: m}]}}}
    Worker: {replicas: 5, template: {spec: {containers: [{name: m}]}}}
)");
    const auto& pods = read.deployment.pods;
    REQUIRE(pods.size() == 6);
    CHECK(pods[0].title() == "LeaderWorkerSet l (leader)");
    CHECK(pods[1].pods_per_replica == 3);
    CHECK(pods[3].part == "gpu");
    CHECK(pods[3].replicas == 3);
    CHECK(pods[5].replicas == 5);
  }
}
