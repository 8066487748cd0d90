// The buyer's checklist, contracts behind manifests, and what is done with findings.
#include "review/checklist.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "document/text_format.hpp"
#include "profiles/profiles.hpp"
#include "review/asked_contracts.hpp"
#include "review/baseline.hpp"
#include "review/edits.hpp"
#include "review/ignores.hpp"
#include "review/review.hpp"
#include "schema/kinds.hpp"

using namespace gpushape;
using domain::Finding;

namespace {

namespace fs = std::filesystem;

struct ReviewedText {
  std::vector<domain::Device> devices = profiles::Profiles::open().value().all().value();
  catalog::Catalog catalog = catalog::Catalog::open().value();
  std::vector<document::Document> documents;
  review::ReviewRequest request;

  explicit ReviewedText(const std::string& text) {
    auto read = document::read_yaml(text, "all.yaml");
    REQUIRE(read);
    documents = std::move(*read);
    request.documents = documents;
    request.devices = devices;
    request.catalog = &catalog;
    request.wants_checklist = true;
  }
};

constexpr const char* kClass =
    "apiVersion: vmoperator.vmware.com/v1alpha2\nkind: VirtualMachineClass\nmetadata: {name: a}\n"
    "spec:\n  hardware:\n    cpus: 4\n    memory: 64Gi # eight\n    devices:\n      vgpuDevices:\n"
    "      - profileName: vendor_x-1c\n";

const domain::ChecklistAnswer& answer(const domain::Review& review, int number) {
  return review.checklist.at(static_cast<std::size_t>(number) - 1);
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("a checklist without documents that tell stays open") {
    const ReviewedText text("apiVersion: v1\nkind: Service\nmetadata: {name: s}\n");
    const domain::Review review = review::review_documents(text.request);
    REQUIRE(review.checklist.size() == 19);
    for (const domain::ChecklistAnswer& each : review.checklist) {
      CAPTURE(each.number);
      CHECK_FALSE(each.is_yes);
      CHECK_FALSE(each.ask.empty());
      CHECK_FALSE(each.question.empty());
    }
  }

  TEST_CASE("manifests and a Platform document answer questions with their places") {
    const ReviewedText text(R"(apiVersion: gpushape.dev/v1
kind: Platform
controlPlane: cluster-per-team
idleDetection: true
idleAction: notify
environmentMinutes: 15
clusters: 3
teams: 12
---
version: v1
sharing:
  timeSlicing:
    resources: [{name: nvidia.com/gpu, replicas: 4}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: g}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}
)");
    domain::Review review = review::review_documents(text.request);
    CHECK(answer(review, 7).is_yes == false);  // time-slicing replicas are a no
    CHECK(answer(review, 7).place.line == 13);
    CHECK(answer(review, 9).is_yes == false);  // told, and nothing is reclaimed
    CHECK(answer(review, 10).is_yes == true);
    CHECK(answer(review, 19).is_yes == true);
    CHECK_FALSE(answer(review, 17).is_yes);
  }

  TEST_CASE("a Platform document with a wrong word is bad input") {
    const ReviewedText text("apiVersion: gpushape.dev/v1\nkind: Platform\nnodes: sharde\n");
    const domain::Review review = review::review_documents(text.request);
    REQUIRE(review.faults.size() == 1);
    CHECK(review.faults[0].help.find("shared") != std::string::npos);
  }

  TEST_CASE("an ignore with a reason answers a finding, for its line and what is below") {
    const auto findings = [](const std::string& text) {
      const ReviewedText read(text);
      std::vector<std::string> rules;
      for (const Finding& finding : review::review(read.request)) rules.push_back(finding.rule);
      return rules;
    };
    using Rules = std::vector<std::string>;
    const std::string text = kClass;
    CHECK(findings(text) == Rules{"VC-01"});
    CHECK(findings("# gpushape: ignore VC-01 a trial\n" + text).empty());
    CHECK(findings("# gpushape: ignore VC-01, VC-02 a trial\n" + text) == Rules{"IG-02"});
    std::string block = text;
    block.insert(block.find("  hardware:"), "  # gpushape: ignore VC-01 a trial\n");
    CHECK(findings(block).empty());
    std::string wrong = text;
    wrong.replace(wrong.find("# eight"), 7, "# gpushape: ignore VC-01");
    CHECK(findings(wrong) == Rules{"VC-01", "IG-01"});
  }

  TEST_CASE("rules are chosen one by one or by their group") {
    ReviewedText text(kClass);
    text.request.skipped = {"VC"};
    CHECK(review::review(text.request).empty());
    text.request.skipped = {};
    text.request.only = {"VC-02"};
    CHECK(review::review(text.request).empty());
    text.request.only = {"VC-01"};
    const auto findings = review::review(text.request);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].object == "VirtualMachineClass a");
    CHECK(findings[0].path == "spec.hardware.memory");
  }

  TEST_CASE("a baseline takes out what it holds, as often as it holds it") {
    const ReviewedText text(kClass);
    domain::Review before = review::review_documents(text.request);
    const auto read = document::read_json(document::write_json(schema::to_node(before)), "b.json");
    REQUIRE(read);
    const auto known = review::read_baseline(*read);
    REQUIRE(known);
    // A line above moves it, and it is known all the same; the same again is new.
    const ReviewedText moved("# a line\n" + std::string(kClass) + "---\n" + std::string(kClass));
    domain::Review after = review::review_documents(moved.request);
    REQUIRE(after.findings.size() == 2);
    review::take_known(*known, after);
    CHECK(after.findings.size() == 1);
    CHECK(after.known == 1);
    CHECK_FALSE(review::read_baseline(text.documents.front()));
  }

  TEST_CASE("a fix changes what it must and nothing else") {
    const auto read = document::read_yaml(
        "a:  # top\n  b: 1   # one\n  'c': \"two\"\nd: {e: 1}\nf:\n- g: 2\n", "f.yaml");
    REQUIRE(read);
    const document::Document& document = read->front();
    const document::Node& root = document.root;
    review::Edits edits = review::replace_value(document, *root.find("a")->find("b"), "10");
    for (const auto& more : {review::replace_value(document, *root.find("a")->find("c"), "x"),
                             review::add_field(document, *root.find("d"), "h: 3"),
                             review::add_field(document, root.find("f")->items()[0], "i: 4"),
                             review::add_field(document, *root.find("a"), "j: 5")}) {
      edits.insert(edits.end(), more.begin(), more.end());
    }
    const std::string after = review::apply_edits(document.source->text, edits);
    CHECK(after ==
          "a:  # top\n  j: 5\n  b: 10   # one\n  'c': x\nd: {h: 3, e: 1}\nf:\n- i: 4\n  g: 2\n");
    CHECK(review::unified_diff("a\nb\nc\n", "a\nB\nc\n", "f") ==
          "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    CHECK(review::unified_diff("a\n", "a\n", "f").empty());
    // Outside the text, or twice: no change.
    CHECK(review::apply_edits("a\n", {{9, 1, 1, "x"}, {1, 1, 9, "x"}, {0, 0, 0, "x"}}) == "a\n");
  }

  TEST_CASE("certain fixes are made where they stand, comments and order kept") {
    struct FixRow {
      const char* name;
      const char* before;
      const char* after;
    };
    // Extended resources: the request follows the limit (Kubernetes API validation). CronJob: the
    // guide to migration names no change but the version. vLLM 0.17 knows --disable-log-requests as
    // --no-enable-log-requests.
    const std::vector<FixRow> rows = {
        {"a request unlike its limit",
         "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
         "    resources:\n      requests: {nvidia.com/gpu: \"2\"}  # two\n"
         "      limits: {nvidia.com/gpu: \"1\"}\n",
         "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
         "    resources:\n      requests: {nvidia.com/gpu: \"1\"}  # two\n"
         "      limits: {nvidia.com/gpu: \"1\"}\n"},
        {"a request without a limit",
         "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
         "    resources:\n      requests: {nvidia.com/gpu: 1}\n      limits: {memory: 8Gi}\n",
         "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
         "    resources:\n      requests: {nvidia.com/gpu: 1}\n"
         "      limits: {nvidia.com/gpu: 1, memory: 8Gi}\n"},
        {"an API version that is gone",
         "apiVersion: \"batch/v1beta1\"  # old\nkind: CronJob\nmetadata: {name: a}\n",
         "apiVersion: \"batch/v1\"  # old\nkind: CronJob\nmetadata: {name: a}\n"},
        {"an API version whose documents changed",
         "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\n",
         "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\n"},
        {"switches of an older engine",
         "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
         "    image: vllm/vllm-openai:v0.19.0\n    args:\n    - --model=Qwen/Qwen3-8B\n"
         "    - --disable-log-requests  # quiet\n    - --use-v2-block-manager\n"
         "    resources: {limits: {nvidia.com/gpu: 1}}\n",
         "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
         "    image: vllm/vllm-openai:v0.19.0\n    args:\n    - --model=Qwen/Qwen3-8B\n"
         "    - --no-enable-log-requests  # quiet\n"
         "    resources: {limits: {nvidia.com/gpu: 1}}\n"},
        {"a roll-out without a spare GPU",
         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: n}\nspec:\n"
         "  replicas: 1  # one\n  selector: {matchLabels: {a: b}}\n  template:\n"
         "    metadata: {labels: {a: b}}\n    spec:\n      containers:\n      - name: c\n"
         "        resources: {limits: {nvidia.com/gpu: 1}}\n---\napiVersion: v1\n"
         "kind: ResourceQuota\nmetadata: {name: q, namespace: n}\n"
         "spec: {hard: {requests.nvidia.com/gpu: 1}}\n",
         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: n}\nspec:\n"
         "  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"
         "  replicas: 1  # one\n  selector: {matchLabels: {a: b}}\n  template:\n"
         "    metadata: {labels: {a: b}}\n    spec:\n      containers:\n      - name: c\n"
         "        resources: {limits: {nvidia.com/gpu: 1}}\n---\napiVersion: v1\n"
         "kind: ResourceQuota\nmetadata: {name: q, namespace: n}\n"
         "spec: {hard: {requests.nvidia.com/gpu: 1}}\n"},
    };
    for (const FixRow& row : rows) {
      CAPTURE(row.name);
      const ReviewedText text(row.before);
      review::Edits edits;
      for (const Finding& finding : review::review(text.request)) {
        edits.insert(edits.end(), finding.edits.begin(), finding.edits.end());
      }
      CHECK(review::apply_edits(row.before, edits) == row.after);
    }
  }

  TEST_CASE("a manifest asks for a contract") {
    const ReviewedText text(R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: llama, namespace: ai}
spec:
  replicas: 2
  template:
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.11.0
          args: [--model, Qwen/Qwen3-8B, --tensor-parallel-size, "2", --max-model-len, "4096"]
          resources:
            requests: {cpu: 7500m, memory: 64Gi}
            limits: {nvidia.com/gpu: 2}
---
apiVersion: vmoperator.vmware.com/v1alpha2
kind: VirtualMachineClass
metadata: {name: c}
spec:
  hardware: {cpus: 16, memory: 64Gi, devices: {vgpuDevices: [{profileName: nvidia_l40s-24c}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: any}
spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}
)");
    const review::Deployment deployment = review::read_deployment(text.request);
    const auto asked = review::contracts_of(deployment);
    REQUIRE(asked.size() == 3);
    REQUIRE(asked[0].contract);
    const domain::ResourceContract& pods = *asked[0].contract;
    CHECK(pods.shape.device == "h100-sxm-80");
    CHECK((pods.shape.technology == domain::Technology::WholeGpu));
    CHECK((pods.shape.consumption_model == domain::ConsumptionModel::MultiGpu));
    CHECK(pods.shape.count == 2);
    CHECK(pods.shape.parallelism.tensor == 2);
    CHECK(pods.replicas == 2);
    CHECK(pods.vcpus == 8);
    CHECK(pods.memory_bytes == gib(64));
    CHECK(pods.model == "Qwen/Qwen3-8B");
    CHECK_FALSE(asked[1].contract);
    CHECK(asked[1].gap.find("which GPU") != std::string::npos);
    REQUIRE(asked[2].contract);
    CHECK((asked[2].contract->shape.technology == domain::Technology::TimeSliced));
    CHECK(asked[2].contract->shape.profile_short == "24C");
    CHECK(asked[2].contract->vcpus == 16);
  }

  TEST_CASE("the contract behind a manifest of ours comes back from it") {
    int contracts = 0;
    for (const char* name : {"pod.yaml", "deployment.yaml", "kserve.yaml", "dynamo.yaml"}) {
      CAPTURE(name);
      const fs::path path = fs::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/emit/whole-pair" / name;
      const ReviewedText text(document::read_file(path.string()).value());
      for (const auto& asked : review::contracts_of(review::read_deployment(text.request))) {
        REQUIRE(asked.contract);
        CHECK(asked.contract->shape.device == "h100-sxm-80");
        CHECK(asked.contract->shape.count == 2);
        CHECK(asked.contract->shape.parallelism.tensor == 2);
        CHECK(asked.contract->vcpus == 12);
        ++contracts;
      }
    }
    CHECK(contracts == 4);
  }
}
