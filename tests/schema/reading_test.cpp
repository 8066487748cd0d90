// What the strict readers accept, where they say a fact is from, and what they refuse.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"
#include "schema/token_count.hpp"

namespace {

using gpushape::Diagnostics;
using gpushape::document::Document;
using gpushape::domain::Origin;

constexpr const char* kHeader = "apiVersion: gpushape.dev/v1\nkind: Workload\n";

Document parse(const std::string& text) {
  auto documents = gpushape::document::read_yaml(text, "llm.yaml");
  REQUIRE(documents.has_value());
  return documents->front();
}

auto workload_of(const std::string& fields) {
  return gpushape::schema::read_workload(parse(kHeader + fields));
}

Diagnostics faults_of(const std::string& fields) {
  auto result = workload_of(fields);
  REQUIRE_FALSE(result.has_value());
  return result.error();
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("schema") {
  TEST_CASE("a token count takes k for 1,024 and m for its square") {
    using gpushape::schema::token_count;
    CHECK(token_count("8192") == 8192);
    CHECK(token_count("32k") == 32'768);
    CHECK(token_count("128K") == 131'072);
    CHECK(token_count("1m") == 1'048'576);
    for (const char* text : {"", "k", "-1", "-1k", "1.5k", "32kb", " 1", "1 ", "1e3", "0x10",
                             "99999999999999999999", "9007199254740993k", "+1"}) {
      CAPTURE(text);
      CHECK_FALSE(token_count(text).has_value());
    }
  }

  TEST_CASE("every fact read from a file says file and line") {
    const auto workload = workload_of("model: m\ncontextTokens: 32k\nengine:\n  maxNumSeqs: 64\n");
    REQUIRE(workload.has_value());
    REQUIRE(workload->context_tokens.has_value());
    CHECK(workload->context_tokens->value == 32'768);
    CHECK(workload->context_tokens->origin == Origin::File);
    CHECK(workload->context_tokens->from == "llm.yaml:4");
    REQUIRE(workload->engine.max_num_seqs.has_value());
    CHECK(workload->engine.max_num_seqs->from == "llm.yaml:6");
    CHECK(workload->isolation.origin == Origin::Default);
  }

  TEST_CASE("a demand says where it stands") {
    const auto workload = workload_of("demand:\n  staticBytes: 16000000000\n");
    REQUIRE(workload.has_value());
    REQUIRE(workload->demand.has_value());
    CHECK(workload->demand->static_bytes == gpushape::Bytes(16'000'000'000));
    CHECK(workload->demand->from == "llm.yaml:4");  // where its fields begin
  }

  TEST_CASE("an unknown field is named with the nearest known one, at its place") {
    const Diagnostics faults = faults_of("contextToken: 8192\n");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].span.file == "llm.yaml");
    CHECK(faults[0].span.line == 3);
    CHECK(mentions(faults[0].message + faults[0].help, "contextTokens"));
  }

  TEST_CASE("an unknown name is answered with the nearest one") {
    const Diagnostics faults = faults_of("isolation: hrad\n");
    REQUIRE(faults.size() == 1);
    CHECK(mentions(faults[0].message + faults[0].help, "hard"));
  }

  TEST_CASE("absurd numbers are refused, each with its line") {
    for (const char* fields : {"contextTokens: 0\n",
                               "contextTokens: -1\n",
                               "contextTokens: 1e30\n",
                               "contextTokens: .nan\n",
                               "contextTokens: 0k\n",
                               "contextTokens: many\n",
                               "contextTokens: 99999999999\n",
                               "contextTokens: [1]\n",
                               "concurrency: 0\n",
                               "concurrency: 1.5\n",
                               "concurrency: '32'\n",
                               "concurrency: .inf\n",
                               "spread: 0.5\n",
                               "spread: .nan\n",
                               "spread: .inf\n",
                               "tenants: 0\n",
                               "replicas: -2\n",
                               "computeShare: 1.5\n",
                               "computeShare: -0.1\n",
                               "needsHa: maybe\n",
                               "engine: {gpuMemoryUtilization: 0}\n",
                               "engine: {gpuMemoryUtilization: 1.01}\n",
                               "engine: {gpuMemoryUtilization: .nan}\n",
                               "engine: {version: latest}\n",
                               "engine: {version: 0.19}\n",
                               "engine: {tensor: 0}\n",
                               "engine: {tensor: 4096}\n",
                               "engine: vllm\n",
                               "demand: {staticBytes: -1}\n",
                               "demand: {staticBytes: 1e30}\n",
                               "demand: {staticBytes: 9000000000000000000}\n",
                               "demand: 16\n",
                               "contract: {toleratedPauseSeconds: -1}\n",
                               "gpus: h100\n",
                               "gpus: [1]\n",
                               "model: [a]\n",
                               "model:\n"}) {
      CAPTURE(fields);
      const auto result = workload_of(fields);
      REQUIRE_FALSE(result.has_value());
      CHECK(result.error().size() == 1);
      CHECK(result.error().front().span.line == 3);
      CHECK_FALSE(result.error().front().message.empty());
    }
  }

  TEST_CASE("a median above the 99th percentile is refused") {
    CHECK(faults_of("demand:\n  dynamicP50Bytes: 3\n  dynamicP99Bytes: 2\n").size() == 1);
  }

  TEST_CASE("all faults of a document come out at once") {
    CHECK(faults_of("concurrency: 0\nisolation: hrad\nengine:\n  tensor: 0\nwhat: 1\n").size() ==
          4);
  }

  TEST_CASE("a document of another kind or version is refused") {
    using gpushape::schema::read_workload;
    CHECK_FALSE(read_workload(parse("apiVersion: gpushape.dev/v2\nkind: Workload\n")).has_value());
    CHECK_FALSE(read_workload(parse("apiVersion: gpushape.dev/v1\nkind: Pod\n")).has_value());
    CHECK_FALSE(read_workload(parse("kind: Workload\n")).has_value());
    CHECK_FALSE(read_workload(parse("- a\n")).has_value());
    CHECK(gpushape::schema::kind_of(parse("kind: Pod\n")) == "Pod");
    CHECK(gpushape::schema::kind_of(parse("- a\n")).empty());
    CHECK(gpushape::schema::kind_of(parse("kind: [a]\n")).empty());
  }

  TEST_CASE("a contract names its shape, its device and what it guarantees") {
    const std::string text =
        "apiVersion: gpushape.dev/v1\nkind: ResourceContract\nvcpus: 4\nmmioBytes: 5\n"
        "shape: {consumptionModel: full, count: 0}\n";
    const auto contract = gpushape::schema::read_contract(parse(text));
    REQUIRE_FALSE(contract.has_value());
    std::string all;
    for (const auto& fault : contract.error()) all += fault.message + "\n";
    CHECK(contract.error().size() == 5);
    for (const char* part : {"technology", "device", "count", "memoryBytes", "5 bytes"}) {
      CAPTURE(all);
      CAPTURE(part);
      CHECK(mentions(all, part));
    }
  }

  TEST_CASE("a device cannot stand on a node that is not there") {
    const std::string text =
        "apiVersion: gpushape.dev/v1\nkind: ResourceContract\nvcpus: 4\nmemoryBytes: 5\n"
        "shape: {consumptionModel: full, technology: full-vgpu, device: l4-24}\n"
        "numa: {nodes: 2, coresPerSocket: 2, coresPerNode: 2, devices: [{device: 0, node: 2}]}\n";
    const auto contract = gpushape::schema::read_contract(parse(text));
    REQUIRE_FALSE(contract.has_value());
    CHECK(contract.error().size() == 1);
  }
}
