// What vLLM takes where nothing is said changed from 0.27 to 0.28; the pull requests say how.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

constexpr domain::EngineVersion kBefore{0, 27, 1};
constexpr domain::EngineVersion kAfter{0, 28, 0};

domain::VisibleMemory b200() {
  domain::VisibleMemory gpu = example::h100();
  gpu.device = "b200-sxm-180";
  gpu.product_name = "NVIDIA B200";
  gpu.bytes = domain::exactly(gib(178));
  gpu.parent_bytes = gib(178);
  gpu.compute_capability = "10.0";
  return gpu;
}

domain::Estimate estimate_of(const std::string& name, domain::EngineVersion version,
                             const domain::VisibleMemory& gpu,
                             std::optional<bool> prefix_caching = {}) {
  const Result<domain::Model> model = example::built_in_catalog().find_name(name);
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
  REQUIRE(engine);
  domain::Workload workload = example::workload(8192, 1);
  workload.engine.version = example::flag(version);
  if (prefix_caching) workload.engine.prefix_caching = example::flag(*prefix_caching);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  REQUIRE(estimate);
  return *estimate;
}

std::int64_t batched_tokens(domain::EngineVersion version, const domain::VisibleMemory& gpu) {
  return estimate_of("Qwen/Qwen3-8B", version, gpu).settings.max_num_batched_tokens.value;
}

bool says_plugin(const domain::Estimate& estimate) {
  return std::ranges::any_of(
      estimate.notes, [](const std::string& note) { return note.contains("vllm-bnb-plugin"); });
}

}  // namespace

TEST_SUITE("estimate") {
  // https://github.com/vllm-project/vllm/pull/50991: to 0.27.1 prefix caching of hybrids has to be
  // asked for. A request then holds its state, and with prefixes the one at a block's edge as well.
  TEST_CASE("states of prefixes are kept unasked from 0.28 on") {
    const std::string model = "Qwen/Qwen3.6-27B";
    const auto state = [&](domain::EngineVersion version, std::optional<bool> caching = {}) {
      return example::term(estimate_of(model, version, example::h100(), caching), "state");
    };
    const Bytes one = state(kBefore);
    CHECK(one > Bytes(0));
    CHECK(state(kAfter) == one * 2);
    CHECK(state(kBefore, true) == one * 2);
    CHECK(state(kAfter, false) == one);
  }

  TEST_CASE("a common prefix of a hybrid is shared where its state is kept") {
    const auto says_unshared = [](domain::EngineVersion version, std::optional<bool> caching) {
      const Result<domain::Model> model = example::built_in_catalog().find_name("Qwen/Qwen3.6-27B");
      const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
      REQUIRE(model);
      domain::Workload workload = example::workload(8192, 4);
      workload.engine.version = example::flag(version);
      workload.traffic.common_prefix_tokens = example::flag<std::int64_t>(1000);
      if (caching) workload.engine.prefix_caching = example::flag(*caching);
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, b200());
      REQUIRE(estimate);
      return std::ranges::any_of(estimate->notes, [](const std::string& note) {
        return note.starts_with("without prefix caching");
      });
    };
    CHECK(says_unshared(kBefore, {}));
    CHECK_FALSE(says_unshared(kBefore, true));
    CHECK_FALSE(says_unshared(kAfter, {}));
    CHECK(says_unshared(kAfter, false));
  }

  // https://github.com/vllm-project/vllm/pull/25752 (mamba_cache_mode all) and issue 48401:
  // Nemotron-3-Super in NVFP4 with --enable-prefix-caching sets blocks of 8,320 tokens, 65 chunks
  // of 128. A state is 128 x 64 x 128 values of 4 bytes and 3 x (8,192 + 2 x 8 x 128) of 2,
  // 4,255,744 bytes, 8,312 tokens of 512. So 131,072 tokens take 16 states of each layer instead of
  // 1, and with drafts or from 0.28 on two.
  TEST_CASE("states of Mamba-2 at every block's edge") {
    const std::string model = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4";
    const auto state = [&](domain::EngineVersion version, bool caching) {
      const Result<domain::Model> nemotron = example::built_in_catalog().find_name(model);
      const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
      REQUIRE(nemotron);
      domain::Workload workload = example::workload(131072, 1);
      workload.engine.version = example::flag(version);
      workload.engine.prefix_caching = example::flag(caching);
      workload.kv_cache_type = example::flag(domain::KvCacheType::Fp8);
      const auto estimate = estimate::estimate_memory(*nemotron, workload, *engine, b200());
      REQUIRE(estimate);
      return example::term(*estimate, "state");
    };
    constexpr domain::EngineVersion kLater{0, 23, 0};
    const Bytes one = state(kLater, false);
    CHECK(one > Bytes(0));
    CHECK(state(kLater, true) == one * 16);
    CHECK(state(kAfter, true) == one * 2);
  }

  // https://github.com/vllm-project/vllm/pull/51726: 16,384 tokens a step from 160 GiB on.
  TEST_CASE("a server on 160 GiB and more takes larger steps from 0.28 on") {
    CHECK(batched_tokens(kBefore, b200()) == 8192);
    CHECK(batched_tokens(kAfter, b200()) == 16384);
    CHECK(batched_tokens(kAfter, example::h100()) == 8192);
  }

  // https://github.com/vllm-project/vllm/pull/49390: sizes to 1,024 tokens on data center
  // Blackwell, 83 instead of 51.
  TEST_CASE("Blackwell of data centers captures larger graphs from 0.28 on") {
    const auto graphs = [](domain::EngineVersion version, const domain::VisibleMemory& gpu) {
      return example::term(estimate_of("Qwen/Qwen3-8B", version, gpu), "graphs");
    };
    CHECK(graphs(kAfter, b200()) > graphs(kBefore, b200()));
    CHECK(graphs(kAfter, example::h100()) == graphs(kBefore, example::h100()));
  }

  // https://github.com/vllm-project/vllm/pull/43529
  TEST_CASE("bitsandbytes is read by a package apart from 0.28 on") {
    const std::string model = "unsloth/Llama-3.2-3B-Instruct-bnb-4bit";
    CHECK_FALSE(says_plugin(estimate_of(model, kBefore, example::h100())));
    CHECK(says_plugin(estimate_of(model, kAfter, example::h100())));
    CHECK_FALSE(says_plugin(estimate_of("Qwen/Qwen3-8B", kAfter, example::h100())));
  }
}
