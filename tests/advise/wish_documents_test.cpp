// Wishes that one pod serves, and wishes that stand in a document of their own.
#include "advise/wish_documents.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "advise/test_devices.hpp"
#include "catalog/catalog.hpp"
#include "profiles/profiles.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

AdviceRequest request_for(const std::string& model, const std::vector<std::string>& gpus,
                          Platform platform) {
  const auto catalog = catalog::Catalog::open();
  const auto profiles = profiles::Profiles::open();
  REQUIRE(catalog);
  REQUIRE(profiles);
  AdviceRequest request;
  request.model = *catalog->find(model);
  request.engine = *catalog->engine("vllm");
  request.workload.context_tokens = declared<std::int64_t>(8192);
  request.workload.concurrency = declared<std::int64_t>(16);
  request.workload.platform = declared(platform);
  for (const std::string& gpu : gpus) {
    Wish wish;
    wish.device = profiles->find(gpu).value();
    wish.host = profiles->usual_server(wish.device).value();
    wish.rank = static_cast<int>(request.wishes.size());
    request.wishes.push_back(std::move(wish));
  }
  return request;
}

struct Joined {
  Advice advice;
  std::vector<WishDocument> documents;
};

Joined joined_wishes(const AdviceRequest& request) {
  const auto advice = advise::advise(request);
  if (!advice) FAIL(to_text(advice.error()));
  const auto documents = join_wishes(request, *advice);
  if (!documents) FAIL(to_text(documents.error()));
  return {*advice, *documents};
}

const JointValue& value_of(const WishDocument& document, std::string_view what) {
  const auto found = std::ranges::find(document.joint, what, &JointValue::what);
  REQUIRE(found != document.joint.end());
  return *found;
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("what a pod has once holds for every wish that it is emitted with") {
    const AdviceRequest request = request_for("meta-llama/Llama-3.1-8B-Instruct",
                                              {"h100-sxm-80", "l40s"}, Platform::Kubernetes);
    const auto [advice, documents] = joined_wishes(request);
    REQUIRE(documents.size() == 1);
    const WishDocument& document = documents.front();
    REQUIRE(document.shapes.size() == 2);
    const RankedShape& first = document.shapes[0];
    const RankedShape& second = document.shapes[1];
    CHECK(first.shape.device == "h100-sxm-80");
    CHECK(second.shape.device == "l40s");
    CHECK(first.contract.vcpus == second.contract.vcpus);
    CHECK(first.contract.memory_bytes == second.contract.memory_bytes);
    CHECK(first.contract.shared_memory_bytes == second.contract.shared_memory_bytes);
    CHECK(first.max_num_batched_tokens == second.max_num_batched_tokens);
    CHECK(first.gpu_memory_utilization == second.gpu_memory_utilization);
    CHECK(first.fits);
    CHECK(second.fits);
    // vm-contract.md, step 2: 1.5 x 80 GiB on the H100, 1.5 x 48 on the L40S. Both hosts give 120.
    CHECK(value_of(document, "RAM").value == "120.0 GiB");
    CHECK(value_of(document, "RAM").decided_by == 0);
    CHECK(value_of(document, "RAM").says.find("l40s alone: 72") != std::string::npos);
    // vLLM, get_batch_defaults: 8192 tokens from 70 GiB on, 2048 below.
    CHECK(*first.max_num_batched_tokens == 2048);
    CHECK(value_of(document, "max-num-batched-tokens").decided_by == 1);
  }

  TEST_CASE("a wish that needs another layout stands in a document of its own") {
    AdviceRequest request = request_for("meta-llama/Llama-3.3-70B-Instruct",
                                        {"h100-sxm-80", "h200-sxm-141"}, Platform::Kubernetes);
    request.workload.quantization = declared(Quantization::Fp8);
    const auto [advice, documents] = joined_wishes(request);
    // 70 GB of weights: two GPUs of 80 GB, one of 141.
    REQUIRE(documents.size() == 2);
    CHECK(documents[0].shapes.front().shape.count == 2);
    CHECK(documents[1].shapes.front().shape.count == 1);
    CHECK(documents[0].why_apart.empty());
    CHECK(documents[1].why_apart.find("another layout: 1 GPU") == 0);
    CHECK(documents[0].joint.empty());
  }

  TEST_CASE("where there are no pods, every wish has its own machine") {
    const AdviceRequest request =
        request_for("meta-llama/Llama-3.1-8B-Instruct", {"h100-sxm-80", "l40s"}, Platform::Vsphere);
    CHECK(joined_wishes(request).documents.empty());
  }

  TEST_CASE("one wish alone comes to no list of documents") {
    const AdviceRequest request =
        request_for("meta-llama/Llama-3.1-8B-Instruct", {"h100-sxm-80"}, Platform::Kubernetes);
    CHECK(joined_wishes(request).documents.empty());
  }
}
