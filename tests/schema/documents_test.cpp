// The shape of our documents, held against the published contract.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"
#include "support/sample_answers.hpp"

namespace {

using gpushape::document::Node;
using gpushape::schema::to_node;
namespace samples = gpushape::samples;

std::vector<std::string> names(const Node& node) {
  std::vector<std::string> result;
  for (const auto& entry : node.entries()) result.push_back(entry.name);
  return result;
}

/// "perGpu.static.weightsBytes"
const Node* at(const Node& node, const std::string& path) {
  const Node* found = &node;
  std::size_t start = 0;
  while (found != nullptr && start <= path.size()) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    found = found->find(path.substr(start, end - start));
    start = end + 1;
  }
  return found;
}

bool has_null(const Node& node) {
  if (node.is(Node::Kind::Null)) return true;
  return std::ranges::any_of(node.items(), has_null) ||
         std::ranges::any_of(node.entries(), has_null, &Node::Entry::value);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("schema") {
  TEST_CASE("an Estimate has the fields of the contract, in its order") {
    const Node node = to_node(samples::full_estimate());
    CHECK(names(node) == Names{"apiVersion", "kind", "model", "workload", "parallelism", "perGpu",
                               "kvBytesPerToken", "capacity", "terms", "settings", "assumptions",
                               "notes"});
    CHECK(names(*at(node, "model")) == Names{"id", "parameters", "source"});
    CHECK(names(*at(node, "model.parameters")) == Names{"total", "active", "stored"});
    CHECK(names(*at(node, "workload")) == Names{"quantization", "kvCacheType", "contextTokens",
                                                "concurrency", "engine", "engineVersion"});
    CHECK(names(*at(node, "parallelism")) == Names{"tensor", "pipeline", "data", "expert"});
    CHECK(names(*at(node, "perGpu")) == Names{"static", "dynamic", "runtime", "totalBytes"});
    CHECK(names(*at(node, "perGpu.static")) == Names{"weightsBytes"});
    CHECK(names(*at(node, "perGpu.dynamic")) ==
          Names{"kvCacheBytes", "stateBytes", "activationBytes"});
    CHECK(names(*at(node, "perGpu.runtime")) ==
          Names{"graphBytes", "contextBytes", "communicationBytes"});
    CHECK(names(*at(node, "perGpu.totalBytes")) == Names{"low", "expected", "high"});
    const Names capacity = names(*at(node, "capacity"));
    CHECK(Names(capacity.begin(), capacity.begin() + 8) ==
          Names{"gpu", "visibleBytes", "utilization", "kvPoolBytes", "kvPoolTokens",
                "maxConcurrencyAtContext", "fits", "fitsAt"});
    const Names term = names(at(node, "terms")->items().front());
    CHECK(Names(term.begin(), term.begin() + 7) ==
          Names{"name", "bytes", "low", "high", "formula", "inputs", "source"});
  }

  TEST_CASE("an Estimate's figures are bytes as integers") {
    const Node node = to_node(samples::full_estimate());
    // 32 sequences x 8,192 tokens x 131,072 bytes = 34,359,738,368
    CHECK(at(node, "perGpu.dynamic.kvCacheBytes")->integer() == 34'359'738'368);
    CHECK(at(node, "perGpu.dynamic.stateBytes")->integer() == 0);
    CHECK(at(node, "kvBytesPerToken")->integer() == 131'072);
    CHECK(at(node, "perGpu.static.weightsBytes")->is(Node::Kind::Integer));
    CHECK(at(node, "capacity.kvPoolBytes")->is(Node::Kind::Integer));
    CHECK(at(node, "workload.engineVersion")->text() == "0.19.1");
    CHECK(at(node, "settings.maxNumSeqs.origin")->text() == "computed");
  }

  TEST_CASE("an Estimate of a pipeline says what one GPU of each stage holds") {
    const Node node = to_node(samples::staged_estimate());
    const auto& stages = at(node, "allGpus.stages")->items();
    REQUIRE(stages.size() == 4);
    CHECK(names(stages[1]) == Names{"layers", "weightsBytes", "totalBytes"});
    CHECK(at(stages[1], "layers")->integer() == 8);
    CHECK(at(stages[1], "weightsBytes")->integer() == 3LL << 30);
    CHECK(at(stages[1], "totalBytes")->integer() == 11LL << 30);
    auto whole = samples::staged_estimate();
    whole.all_gpus->stages.clear();
    CHECK(at(to_node(whole), "allGpus.stages") == nullptr);
  }

  TEST_CASE("a name without an entry of its own stands beside the entry that it was read as") {
    auto estimate = samples::full_estimate();
    estimate.model_id = "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16";
    estimate.model_base = "meta-llama/Llama-3.1-8B-Instruct";
    const Node node = to_node(estimate);
    CHECK(names(*at(node, "model")) == Names{"id", "base", "parameters", "source"});
    CHECK(at(node, "model.base")->text() == "meta-llama/Llama-3.1-8B-Instruct");
  }

  TEST_CASE("what is not known is absent") {
    const Node node = to_node(samples::bare_estimate());
    for (const char* path :
         {"model.parameters.stored", "workload.contextTokens", "capacity", "workload.concurrency",
          "perGpu.dynamic.kvCacheBytes", "perGpu.totalBytes", "notes"}) {
      CAPTURE(path);
      CHECK(at(node, path) == nullptr);
    }
    CHECK(at(node, "perGpu.withoutKvCacheBytes.expected") != nullptr);
    CHECK_FALSE(has_null(node));
    CHECK_FALSE(has_null(to_node(samples::full_advice())));
    CHECK_FALSE(has_null(to_node(samples::refusing_advice())));
  }

  TEST_CASE("a declared demand has no model, no engine, and only the parts that were declared") {
    gpushape::domain::Estimate estimate;
    estimate.terms = {samples::term("declared", gpushape::domain::Part::Weights, 8, 8, 8)};
    estimate.total_bytes = gpushape::domain::exactly(gpushape::gib(8));
    const Node node = to_node(estimate);
    CHECK(node.find("model") == nullptr);
    CHECK(node.find("kvBytesPerToken") == nullptr);
    CHECK(names(*at(node, "workload")).empty());
    CHECK(names(*at(node, "perGpu.dynamic")).empty());
    CHECK(at(node, "perGpu.static.weightsBytes")->integer() == gpushape::gib(8).count());
    CHECK(at(node, "perGpu.totalBytes.high")->integer() == gpushape::gib(8).count());
  }

  TEST_CASE("an Advice carries whole contracts, the estimate it rests on, and its reasons") {
    const Node node = to_node(samples::full_advice());
    const Node& first = at(node, "shapes")->items().front();
    for (const char* name :
         {"consumptionModel", "technology", "device", "profile", "count", "interconnect",
          "parallelism", "computeShare", "fits", "fitsAt", "headroomBytes", "strandedBytes",
          "maxConcurrency", "reasons", "toChange", "contract"}) {
      CAPTURE(name);
      CHECK(first.find(name) != nullptr);
    }
    CHECK(at(first, "contract.kind")->text() == "ResourceContract");
    CHECK(*at(first, "contract") == to_node(samples::full_advice().shapes.front().contract));
    CHECK(*at(node, "estimate") == to_node(samples::full_estimate()));
    CHECK(first.find("reasons")->items().front().find("rule")->text() == "CM-06");
    CHECK(at(node, "rejected")->items().front().find("reason")->find("rule")->text() == "CM-08");
    CHECK(at(node, "reviewAfter.days")->integer() == 14);
    CHECK(at(node, "evidence")->text() == "E0");
    CHECK(at(node, "flip.runnerUp.profileShort")->text() == "40C");
  }

  TEST_CASE("an Advice that asks lists the questions, and what each device could hold") {
    const Node node = to_node(samples::asking_advice());
    CHECK(at(node, "shapes")->items().empty());
    REQUIRE(at(node, "asks")->items().size() == 2);
    CHECK(at(node, "asks")->items().front().find("flag")->text() == "--context");
    const auto& potentials = at(node, "potentials")->items();
    REQUIRE(potentials.size() == 2);
    CHECK(potentials[0].find("sequences")->integer() == 3);
    CHECK(potentials[1].find("fits")->boolean() == false);
    CHECK(potentials[1].find("freeBytes") == nullptr);
  }

  TEST_CASE("a number that is none is left out rather than printed") {
    gpushape::domain::ResourceContract contract = samples::bare_contract();
    contract.pause_seconds = std::nan("");
    CHECK(to_node(contract).find("pauseSeconds") == nullptr);
    contract.pause_seconds = INFINITY;
    CHECK(to_node(contract).find("pauseSeconds") == nullptr);
  }
}
