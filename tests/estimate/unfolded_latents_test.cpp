// Where a model's latents are not what the cache keeps.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "domain/estimate.hpp"
#include "domain/workload.hpp"
#include "support/asked_engines.hpp"

using namespace gpushape;
using domain::Estimate;
using domain::Quantization;
using example::AskedEngine;
using example::engine_estimate;
using example::engine_workload;
using example::flag;
using example::printed_h100;
using example::term_range;

namespace {

constexpr std::string_view kLite = "deepseek-ai/DeepSeek-V2-Lite";
constexpr std::string_view kMiniCpm = "openbmb/MiniCPM3-4B";

Bytes token_by(const AskedEngine& row, const domain::Workload& workload) {
  return engine_estimate(row, workload, std::nullopt).kv_bytes_per_token;
}

Bytes token_by(const AskedEngine& row) { return token_by(row, engine_workload(row)); }

bool says(const Estimate& estimate, std::string_view words) {
  return std::ranges::any_of(estimate.notes,
                             [&](const std::string& note) { return note.contains(words); });
}

}  // namespace

TEST_SUITE("estimate") {
  // 27 layers of 16 heads whose keys have 128 + 64 values, or latents of 512 + 64.
  TEST_CASE("vLLM keeps latents from 0.7.1 on; before, keys and values of every head") {
    constexpr std::int64_t kPadded = 27LL * 16 * 2 * 256 * 2;
    constexpr std::int64_t kUnfolded = 27LL * 16 * 2 * 192 * 2;
    constexpr std::int64_t kLatents = 27LL * 576 * 2;
    CHECK(token_by({kLite, "vllm", "0.5.1"}) == Bytes(kPadded));
    CHECK(token_by({kLite, "vllm", "0.6.6"}) == Bytes(kPadded));
    CHECK(token_by({kLite, "vllm", "0.6.6", 4}) == Bytes(kPadded / 4));
    CHECK(token_by({kLite, "vllm", "0.7.0"}) == Bytes(kUnfolded));
    CHECK(token_by({kLite, "vllm", "0.7.1"}) == Bytes(kLatents));
    CHECK(token_by({kLite, "vllm", "0.19"}) == Bytes(kLatents));
    const Estimate old =
        engine_estimate({kLite, "vllm", "0.6.3"}, engine_workload({kLite, "vllm", "0.6.3"}), {});
    CHECK(says(old, "keys and values of every head"));
    // Halves of kv_b_proj that decoding on latents wants stand apart, 27 x 512 x 16 x 256 values.
    const Estimate later =
        engine_estimate({kLite, "vllm", "0.19"}, engine_workload({kLite, "vllm", "0.19"}), {});
    CHECK_FALSE(says(later, "keys and values of every head"));
    const Bytes halves(27LL * 512 * 16 * 256 * 2);
    const Bytes more = term_range(later, "weights").expected - term_range(old, "weights").expected;
    CHECK(more >= halves);
    CHECK(more - halves < mib(1));  // what the allocator leaves
  }

  // https://github.com/vllm-project/vllm/pull/10927, before the change: a build of December 2024 on
  // H100 has a pool of 35.42 GiB, 5,373 blocks and room for 10.49 requests of 8,192 tokens.
  TEST_CASE("a printed pool of 0.6.4 holds the blocks that are printed with it") {
    const AskedEngine row{kLite, "vllm", "0.6.4"};
    domain::Workload workload = engine_workload(row);
    workload.context_tokens = flag<std::int64_t>(8192);
    const auto tokens_in = [&](double pool) {
      workload.engine.kv_cache_memory_bytes = flag(gib_of(pool));
      return engine_estimate(row, workload, printed_h100()).capacity->kv_pool_tokens;
    };
    CHECK(tokens_in(35.415) <= 5373LL * 16);
    CHECK(5373LL * 16 <= tokens_in(35.425));
  }

  // vLLM 0.7.1 and 0.7.2 config.py, use_mla: fp8 alone; 0.7.3: any format, each token's 1,152 bytes
  // rounded up to 256.
  TEST_CASE("two releases keep latents of 16-bit and FP8 models alone") {
    const auto token_of = [](const std::string& version, Quantization quantization) {
      const AskedEngine row{kLite, "vllm", version};
      domain::Workload workload = engine_workload(row);
      workload.quantization = flag(quantization);
      return token_by(row, workload);
    };
    CHECK(token_of("0.7.2", Quantization::Awq) == Bytes(27LL * 16 * 2 * 192 * 2));
    CHECK(token_of("0.7.2", Quantization::Fp8) == Bytes(27LL * 1280));
    CHECK(token_of("0.7.3", Quantization::Awq) == Bytes(27LL * 1280));
  }

  // vLLM model_executor/models/minicpm3.py; SGLang srt/models/minicpm3.py, MiniCPM3AttentionMLA.
  TEST_CASE("vLLM runs MiniCPM3 as any other model, SGLang on its latents") {
    CHECK(token_by({kMiniCpm, "vllm", "0.6.3"}) == Bytes(62LL * 40 * 2 * 96 * 2));
    CHECK(token_by({kMiniCpm, "vllm", "0.19"}) == Bytes(62LL * 40 * 2 * 96 * 2));
    CHECK(token_by({kMiniCpm, "sglang"}) == Bytes(62LL * (256 + 32) * 2));
  }

  // Mistral-Small-4 on GB10, which has no kernels for its latents: a build of 0.23.1 with
  // VLLM_MLA_DISABLE=1 and FlashInfer has 77,744 tokens in 21.35 GiB (https://github.com/99sono/
  // DockerBuildFiles, mistral-small-4-119b-dgx-spark): 36 layers of 32 heads of 128 in 8 bits.
  TEST_CASE("latents are unfolded where it is told, or kernels that know none are asked for") {
    const AskedEngine row{"mistralai/Mistral-Small-4-119B-2603", "vllm", "0.23.1"};
    domain::Workload workload = engine_workload(row);
    workload.kv_cache_type = flag(domain::KvCacheType::Fp8);
    const Bytes latents = token_by(row, workload);
    CHECK(latents == Bytes(36LL * (256 + 64)));
    domain::Workload told = workload;
    told.engine.unfolds_latents = flag(true);
    CHECK(token_by(row, told) == Bytes(36LL * 32 * 2 * 128));
    domain::Workload asked = workload;
    asked.engine.attention_backend = flag(std::string("flashinfer"));
    CHECK(token_by(row, asked) == Bytes(36LL * 32 * 2 * 128));
    asked.engine.attention_backend = flag(std::string("TRITON_MLA"));
    CHECK(token_by(row, asked) == latents);
    told.context_tokens = flag<std::int64_t>(40000);
    const auto tokens_in = [&](double pool) {
      told.engine.kv_cache_memory_bytes = flag(gib_of(pool));
      return engine_estimate(row, told, printed_h100()).capacity->kv_pool_tokens;
    };
    CHECK(tokens_in(21.345) <= 77744);
    CHECK(77744 <= tokens_in(21.355));
  }

  // transformers models/deepseek_v3/modeling_deepseek_v3.py: past_key_values.update takes keys of
  // 192 and values of 128 for every head.
  TEST_CASE("transformers keeps keys and values of every head") {
    CHECK(token_by({kLite, "transformers"}) == Bytes(27LL * 16 * (192 + 128) * 2));
  }
}
