// What targets say of the shapes that they are given: refusals, agreement between documents, and
// numbers held against hand arithmetic.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emit/emitted_documents.hpp"
#include "emit/template.hpp"

using namespace gpushape;
using document::Node;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;

RankedShape pair() { return cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000); }

const Node& document_of_kind(const emit::Emitted& emitted, const std::string& kind) {
  for (const Node& root : emitted.documents) {
    if (at(root, "kind").text() == kind) return root;
  }
  throw std::logic_error("no document of kind " + kind);
}

std::string refusal_of(const Case& from) {
  const Result<emit::Emitted> result = emitted(from);
  REQUIRE_FALSE(result);
  return to_text(result.error());
}

bool has_argument(const Node& container, const std::string& wanted) {
  for (const Node& word : at(container, "args").items()) {
    if (word.text() == wanted) return true;
  }
  return false;
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("a target that cannot express a shape says why and names one that can") {
    struct Row {
      const char* target;
      Platform platform;
      RankedShape picked;
      const char* names;
    };
    const std::vector<Row> rows = {
        {"hami", Platform::Vsphere, cases::tensor_pair(), "vm-class"},
        {"hami", Platform::Vsphere, cases::fraction_20c(), "vm-class"},
        {"vm-class", Platform::Kubernetes, cases::mig_instance(), "resource-claim"},
        {"deployment", Platform::Kubernetes, cases::software_share(), "hami"},
        {"mig-parted", Platform::Kubernetes, pair(), "device-plugin-config"},
        {"vgpu-device-manager", Platform::Kubernetes, pair(), "mig-parted"},
        {"kubevirt", Platform::Kubernetes, cases::mig_instance(), "resource-claim-template"},
        {"terraform-vsphere", Platform::Vsphere, cases::tensor_pair(), "config-spec"},
        {"sglang-args", Platform::Kubernetes, pair(), "--engine sglang"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.target);
      const std::string said = refusal_of(make("x", row.target, row.platform, {row.picked}));
      CHECK(said.find(row.target) != std::string::npos);
      CHECK(said.find(row.names) != std::string::npos);
    }
  }

  // 72 GB at 100 MB/s are 720 s, and 600 s for the rest: 132 probes of 10 s.
  TEST_CASE("the startup probe outlasts a first start that downloads the weights") {
    const Result<emit::Emitted> result =
        emitted(make("x", "deployment", Platform::Kubernetes, {pair()}));
    REQUIRE(result);
    const Node& container =
        at(document_of_kind(*result, "Deployment"), "spec.template.spec.containers[0]");
    CHECK(at(container, "startupProbe.failureThreshold").integer() *
              at(container, "startupProbe.periodSeconds").integer() ==
          1320);
    CHECK(has_argument(container, "--tensor-parallel-size=2"));
    // 12 vCPU less 1; 128 GiB less 5 % are 121.6.
    CHECK(at(container, "resources.limits.cpu").text() == "11");
    CHECK(at(container, "resources.limits.memory").text() == "121Gi");
    CHECK(at(container, "resources.limits") == at(container, "resources.requests"));
  }

  TEST_CASE("a claim template that is written beside a deployment is what its pods refer to") {
    Case pods = make("x", "deployment", Platform::Kubernetes, {pair()});
    pods.beside = {"resource-claim-template"};
    Case claims = make("x", "resource-claim-template", Platform::Kubernetes, {pair()});
    claims.beside = {"deployment"};
    const Result<emit::Emitted> pod = emitted(pods);
    REQUIRE(pod);
    const Node claim = document_of(claims);
    const Node& spec = at(document_of_kind(*pod, "Deployment"), "spec.template.spec");
    CHECK(at(spec, "resourceClaims[0].resourceClaimTemplateName").text() ==
          at(claim, "metadata.name").text());
    CHECK(at(spec, "containers[0].resources.claims[0].name").text() ==
          at(spec, "resourceClaims[0].name").text());
    CHECK(at(spec, "containers[0].resources.limits").find("nvidia.com/gpu") == nullptr);
  }

  TEST_CASE("wishes whose engine starts with other flags do not stand in the claim of a pod") {
    const RankedShape one = cases::served(cases::whole("h200-sxm-141"), 72'000'000'000);
    Case claims = make("x", "resource-claim-template", Platform::Kubernetes, {one, pair()});
    CHECK(at(document_of(claims), "spec.spec.devices.requests[0].firstAvailable").items().size() ==
          2);
    claims.beside = {"pod"};
    const Result<emit::Emitted> result = emitted(claims);
    REQUIRE(result);
    CHECK(at(result->documents[0], "spec.spec.devices.requests[0].exactly.count").integer() == 1);
    CHECK(result->notes.size() == 1);
  }

  TEST_CASE("one claim for several replicas is refused") {
    RankedShape copies = pair();
    copies.contract.replicas = 3;
    Case pods = make("x", "deployment", Platform::Kubernetes, {copies});
    pods.beside = {"resource-claim"};
    CHECK(refusal_of(pods).find("resource-claim-template") != std::string::npos);
  }

  TEST_CASE("replicas roll without a spare slot") {
    RankedShape copies = pair();
    copies.contract.replicas = 3;
    const Result<emit::Emitted> result =
        emitted(make("x", "deployment", Platform::Kubernetes, {copies}));
    REQUIRE(result);
    const Node& root = document_of_kind(*result, "Deployment");
    CHECK(at(root, "spec.strategy.rollingUpdate.maxSurge").integer() == 0);
    CHECK(at(document_of_kind(*result, "PersistentVolumeClaim"), "spec.accessModes[0]").text() ==
          "ReadWriteMany");
  }

  TEST_CASE("a lifetime ends a pod and marks everything else") {
    Case ending = make("x", "pod", Platform::Kubernetes, {pair()});
    ending.lifetime_seconds = 8 * 3600;
    const Result<emit::Emitted> result = emitted(ending);
    REQUIRE(result);
    const Node& pod = document_of_kind(*result, "Pod");
    CHECK(at(pod, "spec.activeDeadlineSeconds").integer() == 28800);
    CHECK(at(pod, "metadata.annotations").find("gpushape.dev/expires")->text() == "8h");
  }

  TEST_CASE(
      "a notebook with a lifetime is a Job that ends and goes, and one without is asked for") {
    Case from = make("x", "deployment", Platform::Kubernetes, {pair()});
    from.workload.emplace();
    from.workload->role = Fact<Role>{Role::Notebook, Origin::Flag, "--role"};
    const Result<emit::Emitted> endless = emitted(from);
    REQUIRE(endless);
    CHECK(cases::mentions(endless->notes, "--lifetime 8h"));
    CHECK(document_of_kind(*endless, "Deployment").find("spec") != nullptr);
    from.lifetime_seconds = 8 * 3600;
    const Result<emit::Emitted> ending = emitted(from);
    REQUIRE(ending);
    const Node& job = document_of_kind(*ending, "Job");
    CHECK(at(job, "spec.activeDeadlineSeconds").integer() == 28800);
    CHECK(at(job, "spec.ttlSecondsAfterFinished").integer() > 0);
    CHECK(at(job, "spec.backoffLimit").integer() == 0);
    CHECK(at(job, "spec.template.spec.restartPolicy").text() == "Never");
    from.workload->role->value = Role::Llm;  // a service goes on until it is taken down
    const Result<emit::Emitted> service = emitted(from);
    REQUIRE(service);
    CHECK(cases::mentions(service->notes, "a Deployment has no end of its own"));
  }

  // 20480 MiB of 81559 MiB are 0.25110; 0.9 of that, rounded down, is 0.225.
  TEST_CASE("under KAI the engine's fraction is of the card that the process sees") {
    const Result<emit::Emitted> result =
        emitted(make("x", "kai", Platform::Kubernetes, {cases::software_share()}));
    REQUIRE(result);
    CHECK(has_argument(
        at(document_of_kind(*result, "Deployment"), "spec.template.spec.containers[0]"),
        "--gpu-memory-utilization=0.225"));
  }

  TEST_CASE("the pool on VKS is of the class, and pods look for its nodes") {
    RankedShape copies = cases::served(cases::full_l40s(), 16'000'000'000);
    copies.contract.replicas = 2;
    const std::vector<std::string> all = {"vm-class", "vks-cluster", "deployment"};
    Case from = make("x", "vm-class", Platform::Vks, {copies});
    from.beside = all;
    const Node vm_class = document_of(from);
    from.target = "vks-cluster";
    const Node cluster = document_of(from);
    from.target = "deployment";
    const Result<emit::Emitted> pods = emitted(from);
    REQUIRE(pods);
    const std::string name = at(vm_class, "metadata.name").text();
    const Node& pool = at(cluster, "spec.topology.workers.machineDeployments[0]");
    CHECK(at(pool, "replicas").integer() == 2);
    CHECK(at(pool, "variables.overrides[0].value").text() == name);
    const Node& selector =
        at(document_of_kind(*pods, "Deployment"), "spec.template.spec.nodeSelector");
    CHECK(selector.find("node.cluster.x-k8s.io/gpushape-class")->text() == name);
    CHECK(selector.find("nvidia.com/gpu.product")->text() == "NVIDIA-L40S-48C");
  }

  TEST_CASE("a template is filled with the answer, values as they are") {
    const Case from = make("x", "pod", Platform::Kubernetes, {pair()});
    const Result<std::string> text =
        emit::fill_template(from.request(),
                            "{{name}} {{contract.vcpus}} {{shape.device}}{{#flags}} "
                            "{{flag}}{{/flags}}{{#namespace}}!{{/namespace}}\n",
                            "own.tpl");
    REQUIRE(text);
    CHECK(*text ==
          "llama-3-3-70b-instruct-fp8-2x-h100-sxm-80 12 h100-sxm-80 "
          "meta-llama/Llama-3.3-70B-Instruct --max-model-len=8192 --max-num-seqs=85 "
          "--max-num-batched-tokens=8192 --gpu-memory-utilization=0.9 --tensor-parallel-size=2\n");
    CHECK_FALSE(emit::fill_template(from.request(), "{{#open}}", "own.tpl"));
  }
}
