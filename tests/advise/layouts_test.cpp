// Layouts of several GPUs, partitions and shared memory, on real models and devices.
#include <doctest/doctest.h>

#include <algorithm>

#include "advise/test_devices.hpp"
#include "catalog/catalog.hpp"
#include "profiles/profiles.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

Advice layouts(const std::string& model, const std::string& gpu, Platform platform,
               std::int64_t context, std::int64_t concurrency,
               std::optional<Quantization> quantization = std::nullopt) {
  const auto catalog = catalog::Catalog::open();
  const auto profiles = profiles::Profiles::open();
  REQUIRE(catalog);
  REQUIRE(profiles);
  AdviceRequest request;
  request.model = *catalog->find(model);
  request.engine = *catalog->engine("vllm");
  request.workload.context_tokens = declared(context);
  request.workload.concurrency = declared(concurrency);
  request.workload.platform = declared(platform);
  if (quantization) request.workload.quantization = declared(*quantization);
  Wish wish;
  wish.device = profiles->find(gpu).value();
  wish.host = profiles->usual_server(wish.device).value();
  request.wishes.push_back(std::move(wish));
  const auto advice = advise::advise(request);
  if (!advice) FAIL(to_text(advice.error()));
  return *advice;
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("without links the stages of a pipeline take the place of tensor parallel") {
    // 70B in 16 bits: 141 GB of weights; four L40S of 44.5 GiB hold it, over PCIe alone.
    const Advice advice =
        layouts("meta-llama/Llama-3.3-70B-Instruct", "l40s", Platform::Kubernetes, 4096, 4);
    REQUIRE_FALSE(advice.shapes.empty());
    const RankedShape& best = advice.shapes.front();
    CHECK(best.shape.count == 4);
    CHECK(best.shape.parallelism.tensor == 1);
    CHECK(best.shape.parallelism.pipeline == 4);
    CHECK(names(best.reasons, "MG-04"));
  }

  TEST_CASE("inside a link domain layers are shared") {
    const Advice advice =
        layouts("meta-llama/Llama-3.3-70B-Instruct", "h100-sxm-80", Platform::Kubernetes, 4096, 4);
    REQUIRE_FALSE(advice.shapes.empty());
    const RankedShape& best = advice.shapes.front();
    CHECK(best.shape.parallelism.tensor == best.shape.count);
    CHECK(best.shape.parallelism.pipeline == 1);
    CHECK(names(best.reasons, "MG-02"));
  }

  TEST_CASE("a model that no host holds goes over several of them, and is refused to a VM") {
    // DeepSeek-V3 in 16 bits: 671e9 x 2 = 1.34 TB; 16 GPUs of 79.25 GiB have 1.36 TB, which leaves
    // nothing for cache and buffers; 24 do.
    const char* const model = "deepseek-ai/DeepSeek-V3";
    const Advice over =
        layouts(model, "a100-sxm4-80", Platform::Kubernetes, 4096, 4, Quantization::Bf16);
    REQUIRE_FALSE(over.shapes.empty());
    const RankedShape& best = over.shapes.front();
    CHECK(best.shape.nodes == 3);
    CHECK(best.shape.count == 24);
    CHECK(best.shape.parallelism.tensor == 8);
    CHECK(best.shape.parallelism.pipeline == 3);
    CHECK(best.contract.shape.count == 8);
    CHECK(best.contract.replicas == 3);
    const Advice inside =
        layouts(model, "a100-sxm4-80", Platform::Vsphere, 4096, 4, Quantization::Bf16);
    CHECK(inside.shapes.empty());
    CHECK(std::ranges::any_of(inside.rejected, [](const RejectedShape& shape) {
      return shape.reason.says.find("a VM does not span hosts") != std::string::npos;
    }));
  }

  TEST_CASE("on Kubernetes an MI300X is shared as partitions") {
    AdviceRequest request;
    Demand demand;
    demand.ceiling_bytes = gib(16);
    request.workload.demand = demand;
    request.workload.role = declared(Role::Notebook);
    request.workload.platform = declared(Platform::Kubernetes);
    const auto profiles = profiles::Profiles::open();
    Wish wish;
    wish.device = profiles->find("mi300x").value();
    wish.host = profiles->usual_server(wish.device).value();
    request.wishes.push_back(std::move(wish));
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    const RankedShape& best = advice->shapes.front();
    CHECK(best.shape.technology == Technology::Partition);
    CHECK(best.shape.profile_short.starts_with("cpx_"));
    CHECK(best.per_device == 8);
    // Beside it lie seven more of its like, and nothing else.
    REQUIRE(advice->neighbours.size() == 2);
    const auto chosen = std::ranges::find(advice->neighbours, true, &Neighbour::is_chosen);
    REQUIRE(chosen != advice->neighbours.end());
    CHECK(std::ranges::find(chosen->beside, "dpx_nps2") == chosen->beside.end());
  }

  TEST_CASE("where the memory is shared with the operating system, the share stays below it") {
    const Advice advice =
        layouts("meta-llama/Llama-3.1-8B-Instruct", "gb10", Platform::BareMetal, 8192, 8);
    REQUIRE_FALSE(advice.shapes.empty());
    const RankedShape& best = advice.shapes.front();
    CHECK(best.fits);
    REQUIRE(best.gpu_memory_utilization);
    // 101.3 of 121.69 GiB were free: 0.83 starts, 0.87 does not.
    CHECK(*best.gpu_memory_utilization <= 0.83);
    CHECK(*best.gpu_memory_utilization > 0.8);
  }

  TEST_CASE("attention on every GPU and experts over all of them carry many sequences") {
    // DeepSeek-V3 keeps one latent for all heads: 70,272 bytes a token on each of the GPUs that
    // share a layer. 256 sequences of 8 Ki tokens are 147 GB, more than an H200 has; 32 of them,
    // what one of eight ranks holds, are 18.4 GB beside 103 GB of weights.
    const Advice advice =
        layouts("deepseek-ai/DeepSeek-V3", "h200-sxm-141", Platform::Kubernetes, 8192, 256);
    REQUIRE_FALSE(advice.shapes.empty());
    const RankedShape& best = advice.shapes.front();
    CHECK(best.shape.count == 8);
    CHECK(best.replicas == 1);
    CHECK(best.shape.parallelism.tensor == 1);
    CHECK(best.shape.parallelism.data == 8);
    CHECK(best.shape.parallelism.expert == 8);
    CHECK(best.max_num_seqs == 32);
    CHECK(names(best.reasons, "layout"));
    // 2 processes of each rank, the API server and the coordinator: vm-contract.md, section 2.
    CHECK(best.contract.minimum_vcpus >= 1 + 8 + 8 + 1 + 2);
  }

  TEST_CASE("few sequences are answered soonest by tensor parallel") {
    const Advice advice =
        layouts("deepseek-ai/DeepSeek-V3", "h200-sxm-141", Platform::Kubernetes, 8192, 16);
    REQUIRE_FALSE(advice.shapes.empty());
    CHECK(advice.shapes.front().shape.parallelism.tensor == 8);
    CHECK(advice.shapes.front().shape.parallelism.data == 1);
    CHECK(names(advice.shapes.front().reasons, "layout"));
  }

  TEST_CASE("heads of the cache that GPUs can share out need no copies") {
    // Eight KV heads: a dense model and eight GPUs at most. No data parallel layout.
    const Advice advice = layouts("meta-llama/Llama-3.3-70B-Instruct", "h100-sxm-80",
                                  Platform::Kubernetes, 8192, 128);
    REQUIRE_FALSE(advice.shapes.empty());
    CHECK(advice.shapes.front().shape.parallelism.data == 1);
  }

  TEST_CASE("MG-03 offers narrower weights inside one link domain behind the wider ones") {
    // 70B in 16 bits on pairs of A100-80: four GPUs cross the pairs; 35 GB of 4-bit weights stand
    // on one.
    const Advice advice =
        layouts("meta-llama/Llama-3.3-70B-Instruct", "a100-pcie-80", Platform::Vsphere, 8192, 8);
    REQUIRE_FALSE(advice.shapes.empty());
    const RankedShape& offered = advice.shapes.back();
    CHECK(offered.quantization == Quantization::Int4);
    CHECK(offered.contract.quantization == "int4");
    CHECK(offered.shape.count <= 2);
    CHECK(offered.reasons.front().rule == "MG-03");
  }
}
