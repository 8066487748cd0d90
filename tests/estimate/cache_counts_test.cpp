// Pools and token counts as real starts of vLLM printed them. A pool is printed to 0.01 GiB, so the
// printed count must lie between ours for 0.005 GiB less and 0.005 GiB more.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "estimate/cache_layout.hpp"
#include "support/cached_models.hpp"
#include "support/printed_pool.hpp"

using namespace gpushape;
using domain::KvCacheType;
using estimate::CacheGeometry;
using estimate::CacheLayout;
using example::alternating;
using example::check;
using example::deepseek_v4_flash;
using example::full_layer;
using example::gemma4_12b;
using example::gemma4_26b;
using example::glm53_flash;
using example::gpt_oss;
using example::kUnstated;
using example::latent_layer;
using example::layout_of;
using example::model_of;
using example::nemotron3_nano;
using example::nemotron3_super;
using example::PrintedPool;
using example::qwen36_27b;
using example::qwen36_35b;
using example::qwen38_flash_next;
using example::sliding_layer;
using example::state_layer;

namespace {

// Series of vLLM 0.19.0 on H100: https://github.com/llm-d-incubation/llm-d-planner/pull/205.
std::vector<PrintedPool> starts_of_the_series() {
  const CacheGeometry plain{.batched_tokens = 8192};
  return {
      {"gemma-3-4b", alternating(sliding_layer(8, 4, 256, 1024), 5, full_layer(8, 4, 256), 5, 4),
       plain, 8192, 62.51, false, 468144, 57.05},
      {"gemma-3-12b", alternating(sliding_layer(16, 8, 256, 1024), 5, full_layer(16, 8, 256), 8),
       plain, 8192, 47.72, false, 130304, 15.88},
      {"gemma-3-27b",
       alternating(sliding_layer(32, 16, 128, 1024), 5, full_layer(32, 16, 128), 10, 2), plain,
       8192, 19.53, false, 36560, 4.46},
      {"gemma-2-2b", alternating(sliding_layer(8, 4, 256, 4096), 1, full_layer(8, 4, 256), 13),
       plain, 8192, 66.47, false, 670160, 81.73},
      {"gemma-2-9b", alternating(sliding_layer(16, 8, 256, 4096), 1, full_layer(16, 8, 256), 21),
       plain, 8192, 54.12, false, 168880, 20.6},
      {"DeepSeek-V2-Lite", model_of({{latent_layer(16, 512, 64), 27}}), plain, 8192, 43.61, false,
       1505552, 183.78},
      {"Kimi-VL-A3B on two: latents are on both",
       model_of({{latent_layer(16, 512, 64), 27}}),
       {.tensor_parallel = 2, .batched_tokens = 8192},
       8192,
       54.78,
       false,
       1890896,
       230.82},
      {"gpt-oss-20b", gpt_oss(12), plain, 8192, 58.47, false, 1277184, 155.75},
      {"gpt-oss-20b on two",
       gpt_oss(12),
       {.tensor_parallel = 2, .batched_tokens = 8192},
       8192,
       59.32,
       false,
       2591776,
       316.07},
  };
}

std::vector<PrintedPool> starts_of_issues() {
  return {
      // 4 A100, vLLM 0.10.1.1: https://github.com/dennislee22/vLLM-benchmarking
      {"gpt-oss-120b on four",
       gpt_oss(18),
       {.tensor_parallel = 4, .batched_tokens = 2048},
       16384,
       45.32,
       false,
       2640144,
       284.25},
      // RTX 5090, 0.24.0: https://github.com/noonghunna/club-3090/issues/612 and 652
      {"Qwen3.6-35B-A3B",
       qwen36_35b(),
       {.type = KvCacheType::Fp8, .keeps_states_of_prefixes = true},
       131072,
       5.98,
       true,
       567978,
       4.33},
      {"Qwen3.6-35B-A3B again",
       qwen36_35b(),
       {.type = KvCacheType::Fp8, .keeps_states_of_prefixes = true},
       131072,
       6.01,
       true,
       569878,
       4.35},
      // 2 RTX 3090, builds of May to July 2026: club-3090, issues 104 and 642, and BENCHMARKS.md
      {"Qwen3.6-27B",
       qwen36_27b(),
       {.tensor_parallel = 2, .type = KvCacheType::Fp8, .keeps_states_of_prefixes = true},
       262144,
       9.84,
       true,
       619202,
       2.36},
      {"Qwen3.6-27B with three drafted tokens",
       qwen36_27b(),
       {.tensor_parallel = 2,
        .type = KvCacheType::Fp8,
        .draft_tokens = 3,
        .keeps_states_of_prefixes = true},
       262144,
       11.05,
       true,
       623873,
       2.38},
      {"Qwen3.6-27B with four drafted tokens and scales per token and head",
       qwen36_27b(),
       {.tensor_parallel = 2,
        .type = KvCacheType::Int8,
        .draft_tokens = 4,
        .keeps_states_of_prefixes = true},
       262144,
       11.10,
       true,
       605495,
       2.31},
      // https://github.com/mitchross/talos-argocd-proxmox/pull/1995: the shape of Qwen3.6-27B
      {"Qwen3.8-27B",
       qwen36_27b(),
       {.tensor_parallel = 2, .type = KvCacheType::Fp8, .keeps_states_of_prefixes = true},
       131072,
       4.99,
       true,
       302921,
       2.31},
      // gfx1151 with --attention-backend TRITON_ATTN, August 2026: 6,091 pages of 800 tokens and
      // one
      // layer, 17 x 328 + 48 x 3 a request (https://github.com/AIwork4me/Qwen3.8-27B-ROCm)
      {"Qwen3.8-27B with one drafted token by other kernels",
       qwen36_27b(),
       {.draft_tokens = 1, .keeps_states_of_prefixes = true, .has_drafts_apart = true},
       262144,
       18.59,
       true,
       279146,
       1.06},
      // GB10, 0.19.2rc1, prefix caching off: https://github.com/djangodevreng/dgx-spark-benchmarks
      {"Nemotron-3-Super with three drafted tokens",
       nemotron3_super(),
       {.type = KvCacheType::Fp8, .batched_tokens = 2048, .draft_tokens = 3},
       131072,
       36.25,
       false,
       1399712,
       27.81},
      // GB10, 0.20.0 and a build of June 2026: https://github.com/jethac/dgx-spark-hijinks
      {"gemma-4-26B-A4B",
       gemma4_26b(),
       {.batched_tokens = 4096},
       8192,
       40.61,
       false,
       177440,
       35.75},
      {"gemma-4-26B-A4B, quantization-aware",
       gemma4_26b(),
       {.batched_tokens = 4096},
       8192,
       44.03,
       false,
       192368,
       38.76},
      {"gemma-4-12B", gemma4_12b(), {.batched_tokens = 4096}, 8192, 69.53, true, 336566, 41.08},
      // https://ai-muninn.com/en/blog/dgx-spark-gemma4-26b-nvfp4-52-toks
      {"gemma-4-26B-A4B in fp8",
       gemma4_26b(),
       {.type = KvCacheType::Fp8, .batched_tokens = 2048},
       131072,
       81.8,
       false,
       714768,
       kUnstated},
      // GB10, no drafter, a build of 2026-09-14: 2,741 blocks of one layer each, since only one
      // layer
      // has n-grams; a request takes 12 of each attention and two of every state, 218.
      // https://github.com/eugr/spark-vllm-docker/issues/388
      {"Qwen3.8-Flash-Next",
       qwen38_flash_next(),
       {.type = KvCacheType::Fp8, .keeps_states_of_prefixes = true},
       32768,
       8.22,
       true,
       412004,
       12.57},
      // Eight H100, a build of 0.31.1 without prefixes: 10,576 blocks of 12 x 400 x 1,088 bytes are
      // 16
      // requests of 656 + 4 + 1
      {"Qwen3.8-Flash-Next with tails",
       qwen38_flash_next(),
       {.tensor_parallel = 8, .has_indexer_tails = true},
       262144,
       51.44,
       true,
       4194304,
       kUnstated},
      // Eight H200, a build of 0.28.1: 11,802 blocks of 11 x 676,480 bytes, 205 + 4 x 2 + 1 a
      // request
      {"GLM-5.3-Flash",
       glm53_flash(),
       {.latent_block_tokens = 64, .tensor_parallel = 8, .keeps_states_of_prefixes = true},
       131072,
       81.79,
       true,
       7228559,
       55.15},
      // Eight H100, a build of 0.31.1 without prefixes: 410 + 4 + 1
      {"GLM-5.3-Flash without prefixes",
       glm53_flash(),
       {.latent_block_tokens = 64, .tensor_parallel = 8},
       262144,
       28.73,
       true,
       2618281,
       kUnstated},
      // L4, 0.4 to 0.8, the first generation: https://github.com/vllm-project/vllm/pull/10909
      {"Bamba-9B in 32 bits on two: states are elsewhere",
       alternating(state_layer({.kind = domain::RecurrentKind::Mamba2, .value_heads = 128}), 9,
                   full_layer(32, 8, 128), 3, 2),
       {.tensor_parallel = 2, .type = KvCacheType::Fp32, .is_one_table = true},
       1024,
       34.78,
       false,
       189945 * 16,
       2967.89},
  };
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("pools of one series hold the tokens that its starts print") {
    for (const PrintedPool& start : starts_of_the_series()) check(start);
  }

  TEST_CASE("pools of many versions and GPUs hold the tokens that their starts print") {
    for (const PrintedPool& start : starts_of_issues()) check(start);
  }

  TEST_CASE("given the blocks, the printed tokens are exact") {
    // https://github.com/vllm-project/vllm/issues/33333, Nemotron-3-Nano on two GPUs, of which the
    // smaller pool is not printed: 6.17 requests of 131,072 tokens are 222 blocks.
    const CacheLayout nano =
        layout_of(nemotron3_nano(), {.tensor_parallel = 2, .type = KvCacheType::Fp8});
    const estimate::PoolCount count = count_pool(nano, 222, 131072, false);
    CHECK(count.tokens == 183744);
    CHECK(count.requests == doctest::Approx(6.17).epsilon(0.001));
    // Series above: blocks and tokens of DeepSeek-V2-Lite and gemma-3-27b.
    const CacheLayout lite = layout_of(model_of({{latent_layer(16, 512, 64), 27}}), {});
    CHECK(count_pool(lite, 94097, 8192, false).tokens == 1505552);
    const CacheLayout gemma = layout_of(
        alternating(sliding_layer(32, 16, 128, 1024), 5, full_layer(32, 16, 128), 10, 2), {});
    CHECK(count_pool(gemma, 15997, 8192, false).tokens == 36560);
  }

  TEST_CASE("a start that is refused says what one request needs") {
    // vLLM 0.22, DeepSeek-V4-Flash on two GPUs: 30,000 tokens need 6.66 GiB
    // (https://github.com/vllm-project/vllm/issues/44376).
    const CacheLayout flash =
        layout_of(deepseek_v4_flash(),
                  {.tensor_parallel = 2, .type = KvCacheType::Fp8Latent, .batched_tokens = 16384});
    const Bytes needed = flash.block_bytes * flash.held_blocks(30000);
    CHECK(needed.gib() == doctest::Approx(6.66).epsilon(0.0008));
    // vLLM 0.10.1, Qwen3-Coder-480B: 262,144 tokens need 62.00 GiB of each data parallel rank
    // (https://github.com/vllm-project/recipes/pull/12).
    const CacheLayout coder = layout_of(model_of({{full_layer(96, 8, 128), 62}}), {});
    CHECK(coder.block_bytes * coder.held_blocks(262144) == gib(62));
  }

  // DeepSeek-R1 by vLLM 0.7.3 on eight H200: 61 layers whose tokens take 1,280 bytes instead of
  // 1,152; a pool printed as 21.43 GiB has 18,418 blocks (21.43 GiB / (61 x 16 x 1,280) =
  // 18,418.8).
  TEST_CASE("latents of 0.7.2 and 0.7.3 begin at multiples of 256 bytes") {
    const CacheLayout layout =
        layout_of(model_of({{latent_layer(128, 512, 64), 61}}), {.latent_entry_unit = 256});
    CHECK(layout.block_bytes == Bytes(61 * 16 * 1280));
    CHECK(gib_of(21.425) / layout.block_bytes <= 18418);
    CHECK(18418 <= gib_of(21.435) / layout.block_bytes);
  }
}
