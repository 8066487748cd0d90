// Pools and token counts of compressed attention (DeepSeek-V4), as real starts of vLLM printed
// them.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "support/cached_models.hpp"
#include "support/printed_pool.hpp"

using namespace gpushape;
using domain::KvCacheType;
using estimate::CacheGeometry;
using example::check;
using example::deepseek_v4;
using example::deepseek_v41_flash;
using example::deepseek_v4_flash;
using example::kUnstated;
using example::PrintedPool;

namespace {

/// With layers that propose tokens, of a window each.
domain::Model drafting(domain::Model model, std::int64_t layers) {
  model.multi_token_prediction.emplace().layers = {{model.layers.front().layer, layers}};
  return model;
}

/// Pages of each size in blocks of their own (0.23 to 0.26.0).
CacheGeometry by_page_sizes(std::int64_t batched_tokens, std::int64_t draft_tokens = 0) {
  return {.type = KvCacheType::Fp8Latent,
          .batched_tokens = batched_tokens,
          .draft_tokens = draft_tokens,
          .counts_page_sizes = true};
}

/// Entries that pool whole groups, in blocks of `tokens` (DeepSeek-V4.1).
CacheGeometry pooled(std::int64_t batched_tokens, std::int64_t tokens) {
  return {.type = KvCacheType::Fp8Latent,
          .batched_tokens = batched_tokens,
          .is_packed = true,
          .pooled_block_tokens = tokens};
}

std::vector<PrintedPool> starts() {
  return {
      // H200, 16,384 tokens a step
      {"DeepSeek-V4-Flash, packed",
       deepseek_v4_flash(),
       {.type = KvCacheType::Fp8Latent, .batched_tokens = 16384, .is_packed = true},
       131072,
       77.53,
       true,
       1513358,
       11.55},
      // Two H200 NVL, 0.23.0: blocks of 22 x 37,440 + 21 x 8,640 + 20 x 1,728 bytes
      {"DeepSeek-V4-Flash by sizes of pages, short", deepseek_v4_flash(), by_page_sizes(8192), 4096,
       32.08, true, 90841, kUnstated},
      {"DeepSeek-V4-Flash by sizes of pages, long", deepseek_v4_flash(), by_page_sizes(8192),
       262144, 32.08, true, 2175276, 8.3},
      // Four H100, 0.25.1
      {"DeepSeek-V4-Flash by sizes of pages, steps of 32,768", deepseek_v4_flash(),
       by_page_sizes(32768), 400000, 21.27, true, 656967, 1.64},
      // Two RTX PRO 6000, 0.25.0
      {"DeepSeek-V4-Flash by sizes of pages, steps of 8,192", deepseek_v4_flash(),
       by_page_sizes(8192), 131072, 7.75, true, 301529, kUnstated},
      // Four L40S, 0.25.1
      {"DeepSeek-V4-Flash by sizes of pages, steps of 1,024", deepseek_v4_flash(),
       by_page_sizes(1024), 32768, 2.43, true, 158769, kUnstated},
      // Eight H100, a build of 0.31.1, two steps of 8,192: blocks of 37,440 + 3 x 19,008 + 8,640 +
      // 3 x 4,608 bytes, of which a request takes 4,096 + 7 x 517 + 1
      {"DeepSeek-V4.1-Flash in blocks of 64", deepseek_v41_flash(), pooled(16384, 64), 262144,
       29.14, true, 9092347, kUnstated},
      // Eight B300, a build of 2026-09-11, two steps of 16,384: 8,192 + 4 x 1,029 + 1 blocks of
      // 230,400 bytes
      {"DeepSeek-V4.1-Flash in blocks of 128", deepseek_v41_flash(), pooled(32768, 128), 1048576,
       129.87, true, 51558777, 49.17},
      {"DeepSeek-V4.1-Flash with more of the GPU", deepseek_v41_flash(), pooled(32768, 128),
       1048576, 167.35, true, 66437840, 63.36},
      // Two steps of 2,048 are under way, and the pool was set to 20,000,000,000 bytes:
      // https://github.com/tc3oliver/deepseek-v4-flash-mi300x (0.26.1rc1)
      {"DeepSeek-V4-Flash on MI300X",
       deepseek_v4_flash(),
       {.type = KvCacheType::Fp8Latent, .batched_tokens = 4096, .is_packed = true},
       262144,
       20e9 / 1073741824.0,
       true,
       1927444,
       7.35},
      // 0.20.2, steps of 512 and of 8,192: https://github.com/ashishkamra/vllm-memory-estimator
      {"DeepSeek-V4-Pro, short steps",
       deepseek_v4(128, 29),
       {.type = KvCacheType::Fp8Latent, .batched_tokens = 512},
       800000,
       21.47,
       true,
       3731334,
       4.66},
      {"DeepSeek-V4-Pro, long steps",
       deepseek_v4(128, 29),
       {.type = KvCacheType::Fp8Latent, .batched_tokens = 8192},
       8192,
       13.85,
       true,
       27042,
       3.3},
      // One B300, 0.26.0, two steps of 8,192, three layers that draft 7 tokens: blocks of
      // 23 x 37,440 + 21 x 8,640 + 20 x 1,728 bytes, whose indexer is said to be kept in 4 bits:
      // https://github.com/johnpfeiffer/source.johnpfeiffer.github.io
      // content/ai/b300-deepseek-0731.md
      {"DeepSeek-V4-Flash-0731 with drafts, short", drafting(deepseek_v4_flash(), 3),
       by_page_sizes(16384, 7), 65536, 86.74, true, 913657, 13.94},
      {"DeepSeek-V4-Flash-0731 with drafts, long", drafting(deepseek_v4_flash(), 3),
       by_page_sizes(16384, 7), 1048576, 85.79, true, 8930229, kUnstated},
      // Two H20, 0.26.0, one layer that drafts: https://github.com/vllm-project/vllm/issues/51041
      {"DeepSeek-V4-Flash with one layer that drafts", drafting(deepseek_v4_flash(), 1),
       by_page_sizes(16384, 1), 121344, 7.71, true, 150992, 1.24},
  };
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("pools of compressed attention hold the tokens that starts print") {
    for (const PrintedPool& start : starts()) check(start);
  }
}
