// What vLLM takes where nothing is said, release by release; the pull requests say how.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "estimate/vllm_starts.hpp"

using namespace gpushape;
using example::b200;
using example::estimate_of;
using example::gpu_of;
using example::workload_by;

namespace {

constexpr domain::EngineVersion kBefore{0, 27, 1};
constexpr domain::EngineVersion kAfter{0, 28, 0};

std::int64_t batched_tokens(domain::EngineVersion version, const domain::VisibleMemory& gpu) {
  return estimate_of("Qwen/Qwen3-8B", version, gpu).settings.max_num_batched_tokens.value;
}

bool says_plugin(const domain::Estimate& estimate) {
  return std::ranges::any_of(
      estimate.notes, [](const std::string& note) { return note.contains("vllm-bnb-plugin"); });
}

}  // namespace

TEST_SUITE("estimate") {
  // https://github.com/vllm-project/vllm/pull/18974: until then the second generation takes all
  // that the GPU holds beside PyTorch's memory for its own, its context among it.
  TEST_CASE("to 0.9.0 the context comes off the pool, and what a vGPU's manager keeps") {
    constexpr domain::EngineVersion kCounts{0, 9, 0};
    constexpr domain::EngineVersion kMeasures{0, 9, 1};
    const std::string model = "Qwen/Qwen3-8B";
    const auto pool = [&](const domain::Workload& workload, const domain::VisibleMemory& gpu) {
      return estimate_of(model, workload, gpu).capacity->kv_pool_bytes.expected;
    };
    domain::VisibleMemory gpu = example::h100();
    const Bytes context = example::term(estimate_of(model, kCounts, gpu), "cudaContext");
    CHECK(context > gib_of(0.3));
    CHECK(pool(workload_by(kMeasures), gpu) - pool(workload_by(kCounts), gpu) == context);

    domain::Workload first = workload_by(kCounts);
    first.engine.first_generation = example::flag(true);
    domain::Workload later = workload_by(kMeasures);
    later.engine.first_generation = example::flag(true);
    CHECK(pool(first, gpu) == pool(later, gpu));  // worker/worker.py: from a snapshot on

    gpu.profile = "80C";
    gpu.takeable_bytes = gpu.bytes.expected - gib(5);
    const Bytes kept = pool(workload_by(kMeasures), gpu) - pool(workload_by(kCounts), gpu);
    CHECK(kept == context + gib(5));
  }

  // https://github.com/vllm-project/vllm/pull/43051, and starts of 0.26.0 on an RTX 5090
  // (https://github.com/justinwkUKM/Gemma4UnslothDynamicNVFP4): 32 frames of 70 + 2 + 6 tokens.
  TEST_CASE("a step of Gemma 4 holds a whole video where its tokens attend both ways") {
    const domain::VisibleMemory gpu = gpu_of("gpu", "NVIDIA", gib(31), "12.0");
    const auto tokens_of = [&](const std::string& model, const domain::Workload& workload) {
      return estimate_of(model, workload, gpu).settings.max_num_batched_tokens.value;
    };
    domain::Workload workload = workload_by({0, 26, 0});
    CHECK(tokens_of("google/gemma-4-26B-A4B-it", workload) == 32 * 78);
    CHECK(tokens_of("google/gemma-4-12B-it", workload) == 32 * 78);
    CHECK(tokens_of("google/gemma-4-E4B-it", workload) == 2048);
    CHECK(tokens_of("google/gemma-4-26B-A4B-it", workload_by({0, 20, 0})) == 2048);
    workload.images = example::flag<std::int64_t>(0);
    CHECK(tokens_of("google/gemma-4-26B-A4B-it", workload) == 2048);
  }

  // https://github.com/Huzifa1/vllm-profiling: 0.09 GiB by 0.9.2 and 0.02 by 0.10.0 on one A100,
  // 0.02 and 0.07 by 0.10.1.1 on L40S and H100; Unsloth's notebooks: 0.03 to 0.05 on T4.
  TEST_CASE("what lies beside PyTorch's memory hangs on the GPU's size and the release") {
    struct Row {
      domain::EngineVersion version;
      const char* compute_capability = "";
      double printed = 0;
    };
    for (const Row& row : {Row{{0, 9, 2}, "8.0", 0.09}, Row{{0, 8, 5}, "7.5", 0.03},
                           Row{{0, 7, 1}, "7.5", 0.05}, Row{{0, 10, 0}, "8.0", 0.02},
                           Row{{0, 10, 1}, "8.9", 0.02}, Row{{0, 10, 1}, "9.0", 0.07}}) {
      CAPTURE(row.printed);
      const domain::Estimate estimate =
          estimate_of("meta-llama/Llama-3.1-8B-Instruct", row.version,
                      gpu_of("gpu", "NVIDIA", gib(44), row.compute_capability));
      const domain::Range beside = example::term_range(estimate, "nonTorch");
      CHECK(beside.low.gib() <= row.printed);
      CHECK(beside.high.gib() >= row.printed);
      CHECK(beside.high.gib() - beside.low.gib() < 0.11);
    }
  }

  // Non-torch memory of GLM-5.2 on four GH200 by a build of 0.23.1 (https://github.com/alint77/
  // jupiter-glm52-vllm-worklog) and on four GB200 by 0.26.0; Llama-3.1-8B on four H100 by 0.19.0
  // 2.13.
  TEST_CASE("ranks of a model with an indexer need not hold the workspace of an all-reduce") {
    const auto beside_of = [](const std::string& model, domain::EngineVersion version,
                              const char* capability) {
      domain::Workload workload = workload_by(version);
      workload.engine.tensor = example::flag<std::int64_t>(4);
      const domain::Estimate estimate =
          estimate_of(model, workload, gpu_of("gpu", "NVIDIA", gib(186), capability));
      const domain::Range alone = example::term_range(estimate, "nonTorch");
      const domain::Range shared = example::term_range(estimate, "collectives");
      return std::pair((alone.low + shared.low).gib(), (alone.high + shared.high).gib());
    };
    const auto hopper = beside_of("zai-org/GLM-5.2-FP8", {0, 23, 1}, "9.0");
    CHECK(hopper.first <= 0.63);
    CHECK(hopper.second >= 0.63);
    const auto blackwell = beside_of("zai-org/GLM-5.2-FP8", {0, 26, 0}, "10.0");
    CHECK(blackwell.first <= 0.95);
    CHECK(blackwell.second >= 0.95);
    const auto dense = beside_of("meta-llama/Llama-3.1-8B-Instruct", {0, 19, 0}, "9.0");
    CHECK(dense.first <= 2.13);
    CHECK(dense.second >= 2.13);
    CHECK(dense.first > 2);
  }

  // https://github.com/cmontemuino/amd-mi300x-ml-benchmarks: Llama-3.1-8B of the first generation
  // by 0.9.2 on MI300X, 131,072 tokens long, peaks at 14.63 GiB and leaves 122.99 at 0.8 of 191.98;
  // on CUDA prompts of such a length are cut.
  //
  // Llama-3.1-70B in FP8 by AMD's build 0.6.7.dev220 peaks at 22.50 GiB with as long a prompt: gate
  // and up 131,072 x 2 x 28,672 x 2 bytes are 14, their product in 8 bits 3.5, two tensors of 8,192
  // in 16 bits 4 and one in 8 bits 1.
  TEST_CASE("the first generation cuts no prompts on ROCm") {
    domain::Workload workload = workload_by({0, 9, 2});
    workload.context_tokens = example::flag<std::int64_t>(131072);
    workload.engine.first_generation = example::flag(true);
    workload.engine.gpu_memory_utilization = example::flag(0.8);
    domain::VisibleMemory gpu = gpu_of("mi300x-192", "AMD Instinct MI300X", gib_of(191.98), "");
    gpu.vendor = "amd";
    const std::string model = "meta-llama/Llama-3.1-8B-Instruct";
    const domain::Estimate whole = estimate_of(model, workload, gpu);
    CHECK(whole.settings.max_num_batched_tokens.value == 131072);
    const domain::Range peak = example::term_range(whole, "activation");
    CHECK(peak.low.gib() <= 14.63);
    CHECK(peak.high.gib() >= 14.63);
    CHECK(whole.capacity->kv_pool_bytes.low.gib() <= 122.99);
    CHECK(whole.capacity->kv_pool_bytes.high.gib() >= 122.99);
    domain::Workload quantized = workload;
    quantized.engine.version = example::flag(domain::EngineVersion{0, 6, 7});
    const domain::Range of_fp8 = example::term_range(
        estimate_of("amd/Llama-3.1-70B-Instruct-FP8-KV", quantized, gpu), "activation");
    CHECK(of_fp8.low.gib() <= 22.50);
    CHECK(of_fp8.expected.gib() == doctest::Approx(22.50).epsilon(0.005));
    const domain::Estimate cut = estimate_of(model, workload, example::h100());
    CHECK(cut.settings.max_num_batched_tokens.value == 2048);
    workload.engine.first_generation = {};
    CHECK(estimate_of(model, workload, gpu).settings.max_num_batched_tokens.value < 131072);
  }

  // Qwen3-4B on MI355X by 0.20.2 at 0.45 of 287.98 leaves 119.39 GiB, Nemotron-3-Nano-4B on MI300X
  // by 0.23.1 at 0.8 of 191.98 143.37 (https://github.com/Yu-amd/Nemotron-on-AMD). Torch's sort of
  // 1,024 x 151,936 logits would take 5.2 of the former, and its graphs 2.87 of the latter.
  // Servers of 0.25.1 on GB10 compile for 2,048 tokens a step where nobody says how many
  // (https://github.com/sostrowsk/dgx-spark-local-llm); 8,192 is what 70 GiB elsewhere take.
  TEST_CASE("a GPU that shares its memory takes the batch of a small one") {
    const auto batch = [](const domain::VisibleMemory& gpu) {
      return estimate_of("Qwen/Qwen3-8B", workload_by({0, 25, 1}), gpu)
          .settings.max_num_batched_tokens.value;
    };
    CHECK(batch(gpu_of("gb10", "NVIDIA GB10", gib_of(121.69), "12.1")) == 2048);
    CHECK(batch(gpu_of("h100-sxm-80", "NVIDIA H100 80GB HBM3", gib_of(79.19), "9.0")) == 8192);
  }

  // Nemotron-3.5-Lightning prints 17.81 GiB on a Jetson AGX Orin, by Marlin as before Blackwell,
  // whose widths are to 64: its 1,856 stay; padded to 128 it would be 18.24.
  TEST_CASE("NVFP4 before Blackwell has the widths of Marlin") {
    const domain::Estimate estimate =
        estimate_of("nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4", workload_by({0, 27, 0}),
                    gpu_of("h100-sxm-80", "NVIDIA H100 80GB HBM3", gib_of(79.19), "9.0"));
    CHECK(domain::part_bytes(estimate, domain::Part::Weights).expected.gib() ==
          doctest::Approx(17.81).epsilon(0.005));
  }

  TEST_CASE("ROCm samples without a sort and takes no graphs off the pool") {
    struct Row {
      const char* model;
      domain::EngineVersion version;
      double total;
      double utilization;
      double pool;
      std::int64_t context;
    };
    for (const Row& row :
         {Row{"Qwen/Qwen3-4B", {0, 20, 2}, 287.98, 0.45, 119.39, 8192},
          Row{"nvidia/NVIDIA-Nemotron-3-Nano-4B-BF16", {0, 23, 1}, 191.98, 0.8, 143.37, 8192}}) {
      CAPTURE(row.model);
      domain::Workload workload = workload_by(row.version);
      workload.context_tokens = example::flag(row.context);
      workload.engine.gpu_memory_utilization = example::flag(row.utilization);
      domain::VisibleMemory gpu = gpu_of("instinct", "AMD Instinct", gib_of(row.total), "");
      gpu.vendor = "amd";
      const domain::Estimate estimate = estimate_of(row.model, workload, gpu);
      REQUIRE(estimate.capacity);
      CHECK(estimate.capacity->kv_pool_bytes.expected.gib() ==
            doctest::Approx(row.pool).epsilon(0.01));
      CHECK(estimate.capacity->graphs_counted.expected == Bytes(0));
    }
  }

  // https://github.com/wrbooth/vllm-serve-bench raw/engine-logs, 0.29.0 on an RTX 5090: what is set
  // aside for graphs, and what capturing them takes afterwards.
  TEST_CASE("graphs are captured twice, and take more before the pool is sized") {
    struct Row {
      const char* model;
      double before;
      double afterwards;
    };
    const domain::VisibleMemory gpu = gpu_of("gpu", "NVIDIA", gib_of(31.36), "12.0");
    for (const Row& row : {Row{"Qwen/Qwen2.5-7B-Instruct", 0.38, 0.18},
                           Row{"Qwen/Qwen2.5-0.5B-Instruct", 0.28, 0.09}}) {
      CAPTURE(row.model);
      const domain::Estimate estimate = estimate_of(row.model, workload_by({0, 29, 0}), gpu);
      const domain::Range& before = estimate.capacity->graphs_counted;
      const domain::Range afterwards = example::term_range(estimate, "graphs");
      CHECK(before.low.gib() <= row.before);
      CHECK(before.high.gib() >= row.before);
      CHECK(afterwards.low.gib() <= row.afterwards);
      CHECK(afterwards.high.gib() >= row.afterwards);
      CHECK(before.expected - afterwards.expected == gib_of(0.2));
      CHECK(
          estimate_of(row.model, workload_by({0, 26, 0}), gpu).capacity->graphs_counted.expected <=
          example::term_range(estimate_of(row.model, workload_by({0, 26, 0}), gpu), "graphs")
              .expected);
    }
    domain::Workload eager = workload_by({0, 29, 0});
    eager.engine.enforce_eager = example::flag(true);
    CHECK(estimate_of("Qwen/Qwen2.5-7B-Instruct", eager, gpu).capacity->graphs_counted.high ==
          Bytes(0));
  }

  // Public guides of October 2026 to five models on eight H100 by a build of 0.31.1, all with
  // --language-model-only: GiB on each rank.
  TEST_CASE("towers of two families are loaded though nothing is let into them") {
    const auto weights_of = [](const char* model, domain::EngineVersion version) {
      domain::Workload workload = workload_by(version);
      workload.images = example::flag<std::int64_t>(0);
      workload.engine.tensor = example::flag<std::int64_t>(8);
      return domain::part_bytes(estimate_of(model, workload, example::h100()),
                                domain::Part::Weights);
    };
    constexpr domain::EngineVersion kLoads{0, 31, 1};
    constexpr domain::EngineVersion kLeavesOut{0, 30, 0};
    const domain::Range glm = weights_of("zai-org/GLM-5.3-Flash", kLoads);
    CHECK(glm.low.gib() <= 38.8);
    CHECK(glm.high.gib() >= 38.8);
    CHECK(glm.expected - weights_of("zai-org/GLM-5.3-Flash", kLeavesOut).expected > gib(1));
    const domain::Range qwen = weights_of("Qwen/Qwen3.8-Flash-Next", kLoads);
    CHECK(qwen.low.gib() <= 31.42);
    CHECK(qwen.high.gib() >= 31.42);
    CHECK(weights_of("XiaomiMiMo/MiMo-V2.6-Flash-MOPD", kLoads).expected.gib() ==
          doctest::Approx(20.1).epsilon(0.001));
    CHECK(weights_of("deepseek-ai/DeepSeek-V4.1-Flash", kLoads).expected.gib() ==
          doctest::Approx(36.32).epsilon(0.002));
  }

  // https://github.com/johnpfeiffer/source.johnpfeiffer.github.io, b300-deepseek-0731.md: 3.06 GiB.
  TEST_CASE("graphs that break at compressed attention may take more than those of 0.25") {
    const auto most_of = [](domain::EngineVersion version) {
      const domain::Estimate estimate =
          estimate_of("deepseek-ai/DeepSeek-V4-Flash-0731", version,
                      gpu_of("b300-sxm-288", "NVIDIA B300", gib(267), "10.3"));
      return example::term_range(estimate, "graphs").high.gib();
    };
    CHECK(most_of({0, 26, 0}) >= 3.06);
    CHECK(most_of({0, 25, 0}) < 3.06);
  }

  // https://github.com/Huzifa1/vllm-profiling, experiments: Llama-2-7b with 2,048 tokens a step by
  // 128 sequences peaks at 0.24 GiB by 0.9.2 on A100 where it compiles, and at 0.19 or 0.20 later;
  // by 0.10.1.1 at 0.29 and 0.20 on L40S, at 0.28 and 0.22 on H100 NVL.
  TEST_CASE("a first start holds a buffer of the L2 cache's size while kernels are measured") {
    struct Started {
      domain::EngineVersion version;
      domain::VisibleMemory gpu;
      double first = 0;
      double later = 0;
    };
    const auto rows = std::to_array<Started>({
        {{0, 9, 2},
         gpu_of("a100-pcie-40", "NVIDIA A100-PCIE-40GB", gib_of(39.49), "8.0"),
         0.24,
         0.2},
        {{0, 10, 1}, gpu_of("l40s", "NVIDIA L40S", gib_of(44.39), "8.9"), 0.29, 0.2},
        {{0, 10, 1}, gpu_of("h100-nvl-94", "NVIDIA H100 NVL", gib_of(93.1), "9.0"), 0.28, 0.22},
    });
    for (const Started& row : rows) {
      const auto peak = [&](bool compiles) {
        domain::Workload workload = workload_by(row.version);
        workload.context_tokens = example::flag<std::int64_t>(4096);
        workload.engine.max_num_seqs = example::flag<std::int64_t>(128);
        workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(2048);
        workload.engine.flashinfer_sampler = example::flag(false);
        workload.engine.compiles = example::flag(compiles);
        return domain::part_bytes(estimate_of("meta-llama/Llama-2-7b-hf", workload, row.gpu),
                                  domain::Part::Activation);
      };
      CAPTURE(row.gpu.device);
      CHECK(peak(true).expected.gib() == doctest::Approx(row.first).epsilon(0.05));
      CHECK(peak(true).low.gib() <= row.first);
      CHECK(peak(true).high.gib() >= row.first);
      CHECK(peak(false).expected.gib() == doctest::Approx(row.later).epsilon(0.06));
      CHECK(peak(false).high.gib() < row.first);
    }
  }

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
      domain::Workload workload = workload_by(version, caching);
      workload.traffic.common_prefix_tokens = example::flag<std::int64_t>(1000);
      const domain::Estimate estimate = estimate_of("Qwen/Qwen3.6-27B", workload, b200());
      return std::ranges::any_of(estimate.notes, [](const std::string& note) {
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
      domain::Workload workload = workload_by(version, caching);
      workload.context_tokens = example::flag<std::int64_t>(131072);
      workload.kv_cache_type = example::flag(domain::KvCacheType::Fp8);
      return example::term(estimate_of(model, workload, b200()), "state");
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

  // vLLM engine/arg_utils.py: --performance-mode throughput doubles what nobody asked for; 256
  // sequences and 2,048 tokens are a server's under 70 GiB, 1,024 and 8,192 from there on.
  TEST_CASE("throughput mode doubles the defaults and nothing else") {
    domain::Workload workload = workload_by(kBefore);
    workload.engine.throughput_mode = example::flag(true);
    const auto settings = [&](const domain::VisibleMemory& gpu) {
      return estimate_of("Qwen/Qwen3-8B", workload, gpu).settings;
    };
    domain::VisibleMemory small = example::h100();
    small.bytes = domain::exactly(gib(44));
    small.parent_bytes = gib(44);
    CHECK(settings(small).max_num_seqs.value == 512);
    CHECK(settings(small).max_num_batched_tokens.value == 4096);
    CHECK(settings(example::h100()).max_num_seqs.value == 2048);
    CHECK(settings(example::h100()).max_num_batched_tokens.value == 16384);
    workload.engine.max_num_seqs = example::flag<std::int64_t>(100);
    CHECK(settings(small).max_num_seqs.value == 100);
    CHECK(settings(small).max_num_batched_tokens.value == 4096);
  }

  // https://github.com/vllm-project/vllm/pull/43529
  TEST_CASE("bitsandbytes is read by a package apart from 0.28 on") {
    const std::string model = "unsloth/Llama-3.2-3B-Instruct-bnb-4bit";
    CHECK_FALSE(says_plugin(estimate_of(model, kBefore, example::h100())));
    CHECK(says_plugin(estimate_of(model, kAfter, example::h100())));
    CHECK_FALSE(says_plugin(estimate_of("Qwen/Qwen3-8B", kAfter, example::h100())));
  }
}
