// Graphs that vLLM captures, held against what published starts print, release by release.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "estimate/vllm_starts.hpp"
#include "support/drafting.hpp"

using namespace gpushape;
using example::b200;
using example::estimate_of;
using example::gpu_of;
using example::workload_by;

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

  // https://github.com/manojarulmurugan/SpecDecoding-Study-vLLM-SGLang, phase3_results,
  // phase3b_results and pr49343_validation_bundle: Llama-3.1-8B with EAGLE-3 (five tokens) by
  // 0.24.0 on A100 takes 0.88 GiB for its graphs, 0.87 in AWQ, and 0.48 and 0.49 with an fp8 cache.
  // A step of 8,192 tokens peaks at 1.64 GiB, with a pool of 15.79 GiB of 40; of 2,048 the pool
  // is 16.48.
  TEST_CASE("the second runner captures and profiles the proposing of tokens as well") {
    const auto started = [](const std::string& model, domain::KvCacheType cache,
                            std::int64_t tokens) {
      domain::Workload workload = workload_by({0, 24, 0});
      workload.kv_cache_type = example::flag(cache);
      workload.engine.second_runner = example::flag(true);
      workload.engine.max_num_seqs = example::flag<std::int64_t>(256);
      workload.engine.max_num_batched_tokens = example::flag(tokens);
      workload.engine.gpu_memory_utilization = example::flag(0.85);
      return estimate_of(model,
                         example::drafting(workload, "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B", 5),
                         gpu_of("a100-sxm4-40", "NVIDIA A100-SXM4-40GB", gib_of(39.49), "8.0"));
    };
    const auto check = [](const domain::Range& range, double gib, double share) {
      CAPTURE(gib);
      CHECK(range.low <= gib_of(gib));
      CHECK(gib_of(gib) <= range.high);
      CHECK(range.expected.gib() == doctest::Approx(gib).epsilon(share));
    };
    const auto fp8 = domain::KvCacheType::Fp8;
    const auto plain = domain::KvCacheType::Auto;
    const std::string whole = "meta-llama/Llama-3.1-8B-Instruct";
    const std::string awq = "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4";
    check(example::term_range(started(whole, plain, 2048), "graphs"), 0.88, 0.05);
    check(example::term_range(started(awq, plain, 2048), "graphs"), 0.87, 0.08);
    check(example::term_range(started(whole, fp8, 2048), "graphs"), 0.48, 0.25);
    check(example::term_range(started(awq, fp8, 2048), "graphs"), 0.49, 0.3);
    const domain::Estimate large = started(whole, plain, 8192);
    check(example::term_range(large, "activation"), 1.64, 0.03);
    check(large.capacity->kv_pool_bytes, 15.79, 0.03);
    check(started(whole, plain, 2048).capacity->kv_pool_bytes, 16.48, 0.03);
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

  // https://github.com/vllm-project/vllm/pull/49390: sizes to 1,024 tokens on data center
  // Blackwell, 83 instead of 51.
  TEST_CASE("Blackwell of data centers captures larger graphs from 0.28 on") {
    const auto graphs = [](domain::EngineVersion version, const domain::VisibleMemory& gpu) {
      return example::term(estimate_of("Qwen/Qwen3-8B", version, gpu), "graphs");
    };
    constexpr domain::EngineVersion kBefore{0, 27, 1};
    constexpr domain::EngineVersion kAfter{0, 28, 0};
    CHECK(graphs(kAfter, b200()) > graphs(kBefore, b200()));
    CHECK(graphs(kAfter, example::h100()) == graphs(kBefore, example::h100()));
  }
}
