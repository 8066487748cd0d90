// Printed counts of tokens beside those that the printed pool gives.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include "calibrate/comparison.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

calibrate::TokenCheck tokens_of(const EngineStart& start) {
  const Comparison comparison = calibrate::compare(start, built_in_catalog(), built_in_profiles());
  REQUIRE(comparison.tokens);
  return *comparison.tokens;
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("counts of hybrids are those that engines printed") {
    struct HybridRow {
      const char* source;
      const char* engine;
      const char* version;
      const char* date;
      const char* model;
      const char* quantization;
      const char* kv_cache_type;
      std::int64_t tensor_parallel;
      std::int64_t context;
      std::int64_t drafts;
      double pool_gib;
      std::int64_t tokens;
    };
    const auto rows = std::to_array<HybridRow>({
        // Every token of 48 layers, with and without windows: the share was reset to 1.
        {"sgl-project/sglang pull 15464", "sglang", "2025-12-19", "", "XiaomiMiMo/MiMo-V2-Flash",
         "", "", 4, 0, 0, 77.63, 1496958},
        // 222 blocks of 4,176 tokens x 256 B x 6 layers, of the smaller GPU: 222 / 5 groups = 44,
        // and 222 / (32 + 4) = 6.17 requests of 131,072 tokens, as printed.
        {"vllm-project/vllm issue 33333", "vllm", "0.15", "",
         "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", "", "", 2, 131072, 0, 1.3262, 183744},
        // A start on 16 GB: attention's blocks hold 2,080 tokens, those of states the longest
        // request of 2,048, and of the two the lesser counts: 41 x 2,048, 41.5 requests printed.
        {"vLLM 0.12.0 on an RTX 5060 Ti", "vllm", "0.12", "", "tiiuae/Falcon-H1-3B-Base", "", "", 1,
         2048, 0, 5.28, 83968},
        // Its own prediction layer with three tokens, and a cache of 8 bits: 2.38 requests.
        {"noonghunna/club-3090 issue 642", "vllm", "0.24", "", "Qwen/Qwen3.6-27B", "int4", "fp8", 2,
         262144, 3, 11.05, 623873},
    });
    for (const HybridRow& row : rows) {
      CAPTURE(row.source);
      EngineStart start;
      start.id = row.source;
      start.engine = row.engine;
      start.engine_version = row.version;
      start.model = row.model;
      start.quantization = row.quantization;
      start.kv_cache_type = row.kv_cache_type;
      start.tensor_parallel = row.tensor_parallel;
      if (row.context > 0) start.context_tokens = row.context;
      if (row.drafts > 0) start.draft_tokens = row.drafts;
      start.pool_gib = row.pool_gib;
      start.pool_tokens = row.tokens;
      const Comparison comparison =
          calibrate::compare(start, built_in_catalog(), built_in_profiles());
      CHECK(comparison.excluded == "");
      REQUIRE(comparison.tokens);
      CHECK(comparison.tokens->least <= row.tokens);
      CHECK(row.tokens <= comparison.tokens->most);
    }
  }

  // gemma-4-E4B-it by 0.22.1, whose log does not say how long a step is (2,048, by the range that
  // it compiles for): 4.10 GiB, 224,353 tokens.
  TEST_CASE("a printed count holds where one of the steps that are left open gives it") {
    EngineStart start;
    start.id = "gemma-4-E4B-it by 0.22.1";
    start.engine = "vllm";
    start.engine_version = "0.22.1";
    start.model = "google/gemma-4-E4B-it";
    start.context_tokens = 32768;
    start.utilization = 0.9;
    start.pool_gib = 4.10;
    start.pool_tokens = 224353;
    CHECK(tokens_of(start).holds());
    start.max_num_batched_tokens = 16384;  // stated, and another
    CHECK_FALSE(tokens_of(start).holds());
    start.max_num_batched_tokens.reset();
    start.pool_tokens = 230000;  // 2.5 % more, of no step
    CHECK_FALSE(tokens_of(start).holds());
  }

  // Qwen3.5-9B by SGLang on two RTX 4090, K 2.50 and V 2.50 GB: 8 layers x 2 heads x 256 x 2 x 2
  // bytes are 16,384 a token and rank, and 327,310 tokens 4.994 GiB. States stand beside.
  TEST_CASE("what SGLang prints of a hybrid's pool are keys and values alone") {
    EngineStart start;
    start.id = "hybrid";
    start.engine = "sglang";
    start.engine_version = "0.5.9";
    start.model = "Qwen/Qwen3.5-9B";
    start.gpu = "NVIDIA GeForce RTX 4090";
    start.tensor_parallel = 2;
    start.pool_gib = 5.00;
    start.pool_tokens = 327310;
    CHECK(tokens_of(start).holds());
    start.pool_tokens = 174000;  // as if the states were among the 5 GiB
    CHECK_FALSE(tokens_of(start).holds());
  }
}
