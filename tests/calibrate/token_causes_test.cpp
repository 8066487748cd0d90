#include "calibrate/token_causes.hpp"

#include <doctest/doctest.h>

#include <string>

#include "calibrate/comparison.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

using namespace gpushape;

namespace {

calibrate::Comparison compared(const std::string& record) {
  const auto starts = calibrate::read_engine_starts(record + "\n", "starts.jsonl");
  REQUIRE(starts.has_value());
  return calibrate::compare(starts->front(), example::built_in_catalog(),
                            example::built_in_profiles());
}

/// Two RTX 3090, a build of May 2026, a cache of fp8 and prefix caching:
/// https://github.com/noonghunna/club-3090/issues/104. `more` are fields, each with a comma before.
std::string start_of_may(const std::string& more) {
  return R"({"model": "Qwen/Qwen3.6-27B", "engine": "vllm", "engine_version": "0.21.0", "tp": 2,
            "max_model_len": 262144, "max_num_seqs": 2, "max_num_batched_tokens": 8192,
            "kv_cache_gib": 9.84, "kv_cache_tokens": 619202)" +
         more + "}";
}

std::string on_one_line(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text;
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("what a record leaves open and would explain its count is named") {
    const auto open = compared(on_one_line(start_of_may("")));
    REQUIRE(open.tokens);
    CHECK_FALSE(open.tokens->holds());
    CHECK(open.token_cause.starts_with("a cache of fp8"));
    const auto told = compared(on_one_line(start_of_may(R"(, "kv_cache_dtype": "fp8")")));
    REQUIRE(told.tokens);
    CHECK(told.tokens->holds());
    CHECK(told.token_cause.empty());
    // Stated, and still no explanation: nothing is left to guess.
    const auto other =
        compared(on_one_line(start_of_may(R"(, "kv_cache_dtype": "bfloat16", "notes": "MTP n=3",
                        "engine_extra": {"enable_prefix_caching": true})")));
    REQUIRE(other.tokens);
    CHECK_FALSE(other.tokens->holds());
    CHECK(other.token_cause.empty());
  }

  // Eight RTX PRO 6000, a build of 0.20.2 (https://github.com/local-inference-lab/rtx6kpro): 19.55
  // GiB hold 341,504 tokens of 78 x (656 + 132) bytes; on data center Blackwell latents take 576.
  TEST_CASE("a count that GPUs of other kinds have asks for the GPU") {
    const auto unnamed = compared(
        R"({"model": "lukealonso/GLM-5.1-NVFP4-MTP", "engine": "vllm", "engine_version": "0.20.2", )"
        R"("tp": 8, "kv_cache_dtype": "fp8", "max_model_len": 202752, "kv_cache_gib": 19.55, )"
        R"("kv_cache_tokens": 341504})");
    REQUIRE(unnamed.tokens);
    CHECK_FALSE(unnamed.tokens->holds());
    CHECK(unnamed.token_cause.contains("12.0"));
    CHECK_FALSE(unnamed.token_cause.contains("10.0"));
  }

  // Two MI355X, 0.20.2: 3,334,326 tokens are 4,579 blocks of 16 x 784 x 2,048 bytes, 109.56 GiB, at
  // 45 a request; 109.73 are printed.
  TEST_CASE("a count below the pool's is put down to a smaller pool of another rank") {
    const std::string start =
        R"({"model": "Qwen/Qwen3.6-27B", "engine": "vllm", "engine_version": "0.20.2", )"
        R"("max_model_len": 32768, "kv_cache_gib": 109.73, )";
    const auto other = compared(start + R"("tp": 2, "kv_cache_tokens": 3334326})");
    REQUIRE(other.tokens);
    CHECK_FALSE(other.tokens->holds());
    CHECK(other.token_cause.contains("a pool of 109.5"));
    CHECK(other.token_cause.contains("another of the 2 ranks"));
    // Ranks do not differ by so much, and no rank's pool is larger than the one that decides.
    CHECK(compared(start + R"("tp": 2, "kv_cache_tokens": 3234326})").token_cause.empty());
    CHECK(compared(start + R"("tp": 2, "kv_cache_tokens": 3344326})").token_cause.empty());
  }

  // Gemma 3 has no layers of its own that predict: another model does, and is loaded with it.
  TEST_CASE("weights with a draft that is not named are not compared") {
    const std::string record =
        R"({"model": "google/gemma-3-27b-it", "engine": "vllm", "tp": 1, "weights_gib": 52.0)";
    CHECK(compared(record + "}").weights.has_value());
    const auto drafted = compared(record + R"(, "notes": "MTP, 3 speculative tokens"})");
    CHECK_FALSE(drafted.weights.has_value());
    CHECK(drafted.without_weights == "the draft model is not named, or not in the catalog");
  }
}
