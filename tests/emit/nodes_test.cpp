// Instances that span several nodes, and cards that a VM takes one by one.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emit/emitted_documents.hpp"

using namespace gpushape;
using document::Node;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;

const Node& of_kind(const emit::Emitted& emitted, const std::string& kind) {
  for (const Node& root : emitted.documents) {
    if (at(root, "kind").text() == kind) return root;
  }
  throw std::logic_error("no document of kind " + kind);
}

std::vector<std::string> texts(const Node& list) {
  std::vector<std::string> words;
  for (const Node& word : list.items()) words.push_back(word.text());
  return words;
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("an instance on two nodes is a group of two pods with eight GPUs each") {
    const Result<emit::Emitted> made =
        emitted(make("x", "leader-worker-set", Platform::Kubernetes, {cases::two_nodes()}));
    REQUIRE(made);
    const Node& group = of_kind(*made, "LeaderWorkerSet");
    CHECK(at(group, "spec.leaderWorkerTemplate.size").integer() == 2);
    CHECK(at(group, "spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge").integer() == 0);
    const Node& leader = at(group, "spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0]");
    const Node& worker = at(group, "spec.leaderWorkerTemplate.workerTemplate.spec.containers[0]");
    CHECK(at(leader, "resources.limits").find("nvidia.com/gpu")->text() == "8");
    const auto leader_words = texts(at(leader, "args"));
    CHECK(mentions(leader_words, "--nnodes=$(LWS_GROUP_SIZE)"));
    CHECK(mentions(leader_words, "--pipeline-parallel-size=2"));
    CHECK_FALSE(mentions(leader_words, "--headless"));
    CHECK(mentions(texts(at(worker, "args")), "--headless"));
    CHECK(worker.find("livenessProbe") == nullptr);  // a worker answers no requests
    CHECK(leader.find("livenessProbe") != nullptr);
    CHECK(at(of_kind(*made, "Service"), "spec.selector").find("gpushape.dev/role")->text() ==
          "leader");
    // Both pods read the weights.
    CHECK(at(of_kind(*made, "PersistentVolumeClaim"), "spec.accessModes[0]").text() ==
          "ReadWriteMany");
  }

  TEST_CASE("serving layers are told of the nodes in their own words") {
    const auto spec_of = [](const std::string& target, const std::string& kind) {
      const Result<emit::Emitted> made =
          emitted(make("x", target, Platform::Kubernetes, {cases::two_nodes()}));
      REQUIRE(made);
      return at(of_kind(*made, kind), "spec");
    };
    const Node kserve = spec_of("kserve", "LLMInferenceService");
    CHECK(at(kserve, "parallelism.pipeline").integer() == 2);
    CHECK(kserve.find("worker") != nullptr);
    const Node dynamo = spec_of("dynamo", "DynamoGraphDeployment");
    CHECK(at(dynamo, "components[1].multinode.nodeCount").integer() == 2);
    const Node nim = spec_of("nim-service", "NIMService");
    CHECK(at(nim, "multiNode.parallelism.tensor").integer() == 8);
    CHECK(at(nim, "resources.limits").find("nvidia.com/gpu")->text() == "8");
  }

  TEST_CASE("a claim beside a group is of one pod") {
    Case from = make("x", "resource-claim-template", Platform::Kubernetes, {cases::two_nodes()});
    from.beside = {"leader-worker-set"};
    CHECK(at(document_of(from), "spec.spec.devices.requests[0].exactly.count").integer() == 8);
  }

  TEST_CASE("what starts lone pods or machines refuses several nodes") {
    for (const char* target : {"pod", "deployment", "hami", "volcano", "kueue", "llm-d-values",
                               "vllm-production-stack-values", "kubevirt", "vm-class", "vm"}) {
      CAPTURE(target);
      const Result<emit::Emitted> made =
          emitted(make("x", target, Platform::Kubernetes, {cases::two_nodes()}));
      REQUIRE_FALSE(made);
      CHECK(to_text(made.error()).find("`-o leader-worker-set`") != std::string::npos);
    }
    RankedShape across = cases::two_nodes();
    across.shape.parallelism.tensor = across.contract.shape.parallelism.tensor = 16;
    across.shape.parallelism.pipeline = across.contract.shape.parallelism.pipeline = 1;
    CHECK_FALSE(emitted(make("x", "kserve", Platform::Kubernetes, {across})));
    CHECK(emitted(make("x", "leader-worker-set", Platform::Kubernetes, {across})));
    const RankedShape one = cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000);
    CHECK_FALSE(emitted(make("x", "leader-worker-set", Platform::Kubernetes, {one})));
  }

  TEST_CASE("a network card stands beside every GPU, each pair below one root") {
    const RankedShape pair = cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000);
    const Case from = make("x", "resource-claim-template", Platform::Kubernetes, {pair});
    emit::EmitRequest request = from.request();
    request.nic_class = "rdma.example.com";
    const Result<emit::Emitted> made = cases::row_of(from.target).emit(request);
    REQUIRE(made);
    const Node& devices = at(made->documents.front(), "spec.spec.devices");
    REQUIRE(at(devices, "requests").items().size() == 4);
    REQUIRE(at(devices, "constraints").items().size() == 2);
    CHECK(at(devices, "constraints[1].requests[0]").text() == "gpu-1");
    CHECK(at(devices, "constraints[1].requests[1]").text() == "nic-1");
    CHECK(at(devices, "constraints[1].matchAttribute").text() == "resource.kubernetes.io/pcieRoot");
    // The roots of a guest are the hypervisor's.
    Advice guest = from.advice;
    guest.platform = Platform::Vks;
    request.advice = &guest;
    const Result<emit::Emitted> inside = cases::row_of(from.target).emit(request);
    REQUIRE(inside);
    CHECK(at(inside->documents.front(), "spec.spec.devices").find("constraints") == nullptr);
    request.targets.emplace_back("kueue");
    CHECK_FALSE(cases::row_of(from.target).emit(request));
  }

  TEST_CASE("a VM takes each of several cards by a request of its own") {
    const RankedShape pair = cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000);
    Case from = make("x", "resource-claim-template", Platform::Kubernetes, {pair});
    from.beside = {"kubevirt"};
    const Node claim = document_of(from);
    const Node& requests = at(claim, "spec.spec.devices.requests");
    REQUIRE(requests.items().size() == 2);
    CHECK(at(requests.items()[1], "name").text() == "gpu-1");
    CHECK(at(requests.items()[1], "exactly.count").integer() == 1);
    CHECK(at(claim, "spec.spec.devices.config[0].requests").items().size() == 2);
    from.target = "kubevirt";
    from.beside = {"resource-claim-template"};
    const Node machine = document_of(from);
    const Node& gpus = at(machine, "spec.template.spec.domain.devices.gpus");
    REQUIRE(gpus.items().size() == 2);
    CHECK(at(gpus.items()[1], "requestName").text() == "gpu-1");
  }
}
