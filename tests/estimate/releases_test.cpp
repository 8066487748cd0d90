// What vLLM takes where nothing is said changed from 0.27 to 0.28; the pull requests say how.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/asked_engines.hpp"
#include "support/built_in_catalog.hpp"
#include "support/drafting.hpp"

using namespace gpushape;

namespace {

constexpr domain::EngineVersion kBefore{0, 27, 1};
constexpr domain::EngineVersion kAfter{0, 28, 0};

domain::VisibleMemory gpu_of(const char* device, const char* product, Bytes bytes,
                             const char* compute_capability) {
  domain::VisibleMemory gpu = example::h100();
  gpu.device = device;
  gpu.product_name = product;
  gpu.bytes = domain::exactly(bytes);
  gpu.parent_bytes = bytes;
  gpu.compute_capability = compute_capability;
  return gpu;
}

domain::VisibleMemory b200() { return gpu_of("b200-sxm-180", "NVIDIA B200", gib(178), "10.0"); }

domain::Estimate estimate_of(const std::string& name, const domain::Workload& workload,
                             const domain::VisibleMemory& gpu) {
  const Result<domain::Model> model = example::built_in_catalog().find_name(name);
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
  REQUIRE(engine);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  REQUIRE(estimate);
  return *estimate;
}

domain::Workload workload_by(domain::EngineVersion version,
                             std::optional<bool> prefix_caching = {}) {
  domain::Workload workload = example::workload(8192, 1);
  workload.engine.version = example::flag(version);
  if (prefix_caching) workload.engine.prefix_caching = example::flag(*prefix_caching);
  return workload;
}

domain::Estimate estimate_of(const std::string& name, domain::EngineVersion version,
                             const domain::VisibleMemory& gpu,
                             std::optional<bool> prefix_caching = {}) {
  return estimate_of(name, workload_by(version, prefix_caching), gpu);
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
  // Qwen2.5-0.5B-AWQ with one sequence on an A6000 by 0.8.3 captures in 0.41 GiB, and in 0.03 by
  // the first generation (https://github.com/vllm-project/vllm/issues/16141). From 0.10 on captures
  // end at twice the sequences (https://github.com/vllm-project/vllm/pull/20628).
  TEST_CASE("to 0.9.2 the second generation captures all sizes, however few sequences there are") {
    const domain::VisibleMemory gpu = gpu_of("rtx-a6000", "NVIDIA RTX A6000", gib_of(44.55), "8.6");
    const auto started = [&](domain::EngineVersion version, bool is_first) {
      domain::Workload workload = workload_by(version);
      workload.context_tokens = example::flag<std::int64_t>(512);
      workload.engine.max_num_seqs = example::flag<std::int64_t>(1);
      workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(2048);
      workload.engine.gpu_memory_utilization = example::flag(0.1);
      workload.engine.first_generation = example::flag(is_first);
      return estimate_of("Qwen/Qwen2.5-0.5B-Instruct-AWQ", workload, gpu);
    };
    // 0.1 x 44.55 GiB leave 3.88 to the first generation, and 314,272 tokens of 12,288 bytes, 3.60,
    // to the second, which counts its context.
    const domain::Range first_pool = started({0, 8, 3}, true).capacity->kv_pool_bytes;
    const domain::Range second_pool = started({0, 8, 3}, false).capacity->kv_pool_bytes;
    CHECK(first_pool.expected.gib() == doctest::Approx(3.88).epsilon(0.01));
    CHECK(second_pool.expected.gib() == doctest::Approx(3.60).epsilon(0.05));
    CHECK(second_pool.low.gib() < 3.60);
    CHECK(first_pool.expected > second_pool.expected);
    const auto graphs = [&](domain::EngineVersion version, bool is_first) {
      const domain::Estimate estimate = started(version, is_first);
      const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
      REQUIRE(term != estimate.terms.end());
      return term->bytes;
    };
    const domain::Range second = graphs({0, 8, 3}, false);
    CHECK(second.low <= gib_of(0.41));
    CHECK(second.high >= gib_of(0.41));
    CHECK(second.low > gib_of(0.03));
    for (const domain::Range& few : {graphs({0, 8, 3}, true), graphs({0, 10, 0}, false)}) {
      CHECK(few.low <= gib_of(0.03));
      CHECK(few.expected < gib_of(0.1));
    }
  }

  // https://github.com/Huzifa1/vllm-profiling, experiments, batch_size: Llama-2-7b on
  // A100-PCIE-40GB by 0.10.0 (--cuda-graph-sizes) and on H100 NVL by 0.10.1.1. From 3 to 67 sizes
  // of 32 layers are 2,048 more captures, which took 0.37 GiB there and 0.33 here.
  TEST_CASE("a start that says which batches it captures has their graphs") {
    const auto every_eighth = [](std::int64_t largest) {
      std::vector<std::int64_t> batches = {1, 2, 4};
      for (std::int64_t batch = 8; batch <= largest; batch += 8) batches.push_back(batch);
      return batches;
    };
    const auto graphs = [&](const domain::VisibleMemory& gpu, domain::EngineVersion version,
                            std::int64_t largest) {
      domain::Workload workload = workload_by(version);
      workload.context_tokens = example::flag<std::int64_t>(4096);
      workload.engine.graph_batches = example::flag(every_eighth(largest));
      const domain::Estimate estimate = estimate_of("meta-llama/Llama-2-7b-hf", workload, gpu);
      const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
      REQUIRE(term != estimate.terms.end());
      return term->bytes;
    };
    const auto a100 = gpu_of("a100-pcie-40", "NVIDIA A100-PCIE-40GB", gib_of(39.49), "8.0");
    const auto h100 = gpu_of("h100-nvl-94", "NVIDIA H100 NVL", gib_of(93.1), "9.0");
    struct Started {
      std::int64_t largest = 0;
      double on_a100 = 0;
      double on_h100 = 0;
    };
    for (const Started& row : {Started{.largest = 4, .on_a100 = 0.08, .on_h100 = 0.15},
                               Started{.largest = 128, .on_a100 = 0.16, .on_h100 = 0.24},
                               Started{.largest = 512, .on_a100 = 0.45, .on_h100 = 0.48},
                               Started{.largest = 1024, .on_a100 = 0.86, .on_h100 = 0.82}}) {
      CAPTURE(row.largest);
      const domain::Range first = graphs(a100, {0, 10, 0}, row.largest);
      const domain::Range second = graphs(h100, {0, 10, 1}, row.largest);
      CHECK(first.expected.gib() == doctest::Approx(row.on_a100).epsilon(0.06));
      CHECK(second.expected.gib() == doctest::Approx(row.on_h100).epsilon(0.15));
      for (const auto& [range, printed] :
           {std::pair(first, row.on_a100), std::pair(second, row.on_h100)}) {
        CHECK(range.low.gib() <= printed);
        CHECK(range.high.gib() >= printed);
      }
    }
  }

  // A published boot of Qwen2.5-7B-Instruct-AWQ by 0.22.1 on an RTX 3090 with eight sequences:
  // "took 0.33 GiB", for nine captures; seven of Qwen3-4B in nf4 by 0.20.1 take 0.12.
  TEST_CASE("few graphs of a quantized model hold what a first capture loads of kernels") {
    domain::Workload workload = workload_by({0, 22, 1});
    workload.engine.max_num_seqs = example::flag<std::int64_t>(8);
    const domain::Estimate estimate =
        estimate_of("Qwen/Qwen2.5-7B-Instruct-AWQ", workload,
                    gpu_of("rtx-3090", "NVIDIA GeForce RTX 3090", gib_of(23.57), "8.6"));
    const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
    REQUIRE(term != estimate.terms.end());
    CHECK(term->bytes.high >= gib_of(0.33));
    CHECK(term->bytes.low <= gib_of(0.12));
  }

  // Llama-3.1-8B-Instruct with an fp8 cache and EAGLE-3 (five tokens) by 0.24.0 on A100 says
  // "CUDAGraphMode.FULL_AND_PIECEWISE is not supported with spec-decode for attention backend
  // FlashInferBackend", and takes 0.48 GiB for its graphs.
  TEST_CASE("FlashInfer's wrappers are not captured where several tokens of a request decode") {
    domain::Workload workload = workload_by({0, 24, 0});
    workload.kv_cache_type = example::flag(domain::KvCacheType::Fp8);
    const domain::Estimate estimate =
        estimate_of("meta-llama/Llama-3.1-8B-Instruct",
                    example::drafting(workload, "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B", 5),
                    gpu_of("a100-sxm4-40", "NVIDIA A100-SXM4-40GB", gib_of(39.49), "8.0"));
    const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
    REQUIRE(term != estimate.terms.end());
    CHECK(term->bytes.low <= gib_of(0.48));
    CHECK(term->bytes.high >= gib_of(0.48));
    const auto decodes = std::ranges::find(term->inputs, "decodes", &domain::Input::name);
    REQUIRE(decodes != term->inputs.end());
    CHECK(std::get<std::int64_t>(decodes->value) == 0);
  }

  // https://github.com/manojarulmurugan/SpecDecoding-Study-vLLM-SGLang, phase3_results:
  // Llama-3.1-8B by 0.24.0 on A100 takes 0.56 GiB for its graphs, and with an fp8 cache, which
  // FlashInfer reads, 0.88, in 16 bits and in AWQ. Nothing of it comes off the pool.
  TEST_CASE("the second runner captures FlashInfer's wrappers, and no workspace of theirs") {
    const domain::VisibleMemory a100 =
        gpu_of("a100-sxm4-80", "NVIDIA A100-SXM4-80GB", gib_of(79.25), "8.0");
    const auto graphs = [&](const std::string& model, domain::KvCacheType cache) {
      domain::Workload workload = workload_by({0, 24, 0});
      workload.kv_cache_type = example::flag(cache);
      workload.engine.second_runner = example::flag(true);
      const domain::Estimate estimate = estimate_of(model, workload, a100);
      const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
      REQUIRE(term != estimate.terms.end());
      return term->bytes.expected.gib();
    };
    const auto fp8 = domain::KvCacheType::Fp8;
    const auto plain = domain::KvCacheType::Auto;
    const std::string whole = "meta-llama/Llama-3.1-8B-Instruct";
    const std::string awq = "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4";
    CHECK(graphs(whole, plain) == doctest::Approx(0.56).epsilon(0.05));
    CHECK(graphs(whole, fp8) == doctest::Approx(0.88).epsilon(0.05));
    CHECK(graphs(awq, plain) == doctest::Approx(0.57).epsilon(0.08));
    CHECK(graphs(awq, fp8) == doctest::Approx(0.88).epsilon(0.05));
  }

  // Qwen3-4B-Thinking-2507 by 0.20.0: an fp8 cache is read by FlashInfer's kernels on A100, whose
  // workspace of 394 MiB and 35 wrappers make 1.48 GiB of what 51 and 35 sizes are estimated at,
  // and took 0.86 afterwards (https://github.com/keguangzhang/151B_SP26_Competition); with
  // FlashAttention the same sizes are estimated at 0.35 to 0.51
  // (https://github.com/raindonovan/151B_SP26_Competition).
  TEST_CASE("FlashInfer's kernels of attention keep buffers of their own among the graphs") {
    const domain::VisibleMemory a100 =
        gpu_of("a100-sxm4-40", "NVIDIA A100-SXM4-40GB", gib_of(39.49), "8.0");
    const auto graphs = [&](const domain::VisibleMemory& gpu, domain::KvCacheType cache,
                            const std::string& backend, domain::EngineVersion version) {
      domain::Workload workload = workload_by(version);
      workload.kv_cache_type = example::flag(cache);
      workload.engine.max_num_seqs = example::flag<std::int64_t>(256);
      if (!backend.empty()) workload.engine.attention_backend = example::flag(backend);
      const domain::Estimate estimate = estimate_of("Qwen/Qwen3-4B-Thinking-2507", workload, gpu);
      const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
      REQUIRE(term != estimate.terms.end());
      return term->bytes;
    };
    const auto fp8 = domain::KvCacheType::Fp8;
    const auto plain = domain::KvCacheType::Auto;
    const domain::Range with = graphs(a100, fp8, "", {0, 20, 0});
    CHECK(with.expected.gib() == doctest::Approx(1.48).epsilon(0.05));
    CHECK(with.low <= gib_of(0.87));
    const domain::Range without = graphs(a100, plain, "", {0, 20, 0});
    CHECK(without.low <= gib_of(0.35));
    CHECK(without.high >= gib_of(0.51));
    // As asked for, in any case; FlashAttention has 8-bit kernels on Hopper; nothing came off the
    // pool before.
    CHECK(graphs(a100, plain, "flashinfer", {0, 20, 0}) == with);
    CHECK(graphs(a100, fp8, "FLASH_ATTN", {0, 20, 0}) == without);
    CHECK(graphs(example::h100(), fp8, "", {0, 20, 0}) ==
          graphs(example::h100(), plain, "", {0, 20, 0}));
    CHECK(graphs(a100, fp8, "", {0, 19, 0}) == graphs(a100, plain, "", {0, 19, 0}));
    // The checkpoint's own type counts: hf_quant_config.json of NVIDIA's FP8 says an fp8 cache.
    const auto workspace_of = [&](const std::string& name) {
      const domain::Estimate estimate = estimate_of(name, {0, 20, 0}, a100);
      const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
      REQUIRE(term != estimate.terms.end());
      const bool is_said = std::ranges::any_of(estimate.notes, [](const std::string& note) {
        return note.contains("FlashInfer's kernels");
      });
      CHECK(is_said == term->source.contains("flashinfer.py"));
      return std::ranges::find(term->inputs, "attentionWorkspace", &domain::Input::name) !=
             term->inputs.end();
    };
    CHECK(workspace_of("nvidia/Llama-3.1-70B-Instruct-FP8"));
    CHECK_FALSE(workspace_of("meta-llama/Llama-3.1-70B-Instruct"));
    CHECK(graphs(b200(), plain, "", {0, 20, 0}).expected.gib() >
          graphs(b200(), plain, "FLASH_ATTN", {0, 20, 0}).expected.gib() + 0.35);
  }

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

  // https://github.com/vllm-project/vllm/pull/50991: to 0.27.1 prefix caching of hybrids has to be
  // asked for. A request then holds its state, and with prefixes the one at a block's edge as well.
  // https://github.com/Huzifa1/vllm-profiling: 0.09 GiB by 0.9.2 and 0.02 by 0.10.0 on one A100,
  // 0.02 and 0.07 by 0.10.1.1 on L40S and H100; Unsloth's notebooks: 0.03 to 0.05 on T4.
  TEST_CASE("what lies beside PyTorch's memory hangs on the GPU's size and the release") {
    struct Row {
      domain::EngineVersion version;
      const char* compute_capability;
      double printed;
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
      CHECK(beside.high.gib() - beside.low.gib() < 0.105);
    }
  }

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
