#include "catalog/quantization_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

using gpushape::catalog::parse_kv_cache_type;
using gpushape::catalog::parse_quantization;
using gpushape::domain::KvCacheType;
using gpushape::domain::Quantization;

TEST_SUITE("catalog") {
  TEST_CASE("a quantization is known by its published name and by the usual spellings") {
    struct Row {
      const char* word;
      Quantization value;
    };
    const std::vector<Row> rows = {
        {"bf16", Quantization::Bf16},
        {"bfloat16", Quantization::Bf16},
        {"half", Quantization::Fp16},
        {"FP8", Quantization::Fp8},
        {"fp8_e4m3", Quantization::Fp8},
        {"FP8-Dynamic", Quantization::Fp8Channel},
        {"w8a8", Quantization::Int8},
        {"W4A16", Quantization::Int4},
        {"gptq-int4", Quantization::GptqInt4},
        {"gptq", Quantization::GptqInt4},
        {"awq", Quantization::Awq},
        {"gptq_int8", Quantization::GptqInt8},
        {"w8a16", Quantization::Int8Weight},
        {"Q4_K", Quantization::Q4K},
        {"q8-0", Quantization::Q8_0},
        {"IQ2_XXS", Quantization::Iq2Xxs},
        {"nf4", Quantization::BnbNf4},
        {"bnb_nf4_double", Quantization::BnbNf4Double},
        {"nvfp4", Quantization::Nvfp4},
        // vLLM's and SGLang's --quantization, TensorRT-LLM's --qformat.
        {"moe_wna16", Quantization::GptqInt4},
        {"petit_nvfp4", Quantization::Nvfp4},
        {"fp8_per_block", Quantization::Fp8Block},
        {"w4afp8", Quantization::Int4Act8},
        {"int8_sq", Quantization::Int8},
        {"int4_awq", Quantization::Int4},
        {"Q8", Quantization::Q8_0},
        {"Q4_K_L", Quantization::MixQ4KL},
        {"UD-Q4_K_XL", Quantization::UdQ4KXl},
        {"Q2_K_XL", Quantization::UdQ2KXl},
    };
    for (const Row& row : rows) {
      CAPTURE(row.word);
      const auto value = parse_quantization(row.word);
      REQUIRE(value);
      CHECK(*value == row.value);
    }
  }

  TEST_CASE("an unknown quantization is answered with the nearest word") {
    const auto value = parse_quantization("fp88");
    REQUIRE_FALSE(value);
    CHECK(value.error().front().message == "'fp88' is not a quantization");
    CHECK(value.error().front().help.starts_with("did you mean 'fp8'"));
    const auto far = parse_quantization("banana");
    REQUIRE_FALSE(far);
    CHECK(far.error().front().help.find("bf16") != std::string::npos);
    CHECK_FALSE(parse_quantization(""));
    CHECK_FALSE(parse_quantization(std::string(100'000, 'x')));
  }

  TEST_CASE("words that tell no precision say what to give instead") {
    struct Row {
      const char* word;
      const char* message;
      const char* help;
    };
    const std::vector<Row> rows = {
        {"compressed_tensors", "holds weights of several precisions", "int4"},
        {"EXL3", "is read by ExLlama alone", "q4_k_m"},
        {"8bit", "says how many bits", "fp8"},
        {"hqq", "nothing here sizes", "awq"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.word);
      const auto value = parse_quantization(row.word);
      REQUIRE_FALSE(value);
      CHECK(value.error().front().message.find(row.message) != std::string::npos);
      CHECK(value.error().front().help.find(row.help) != std::string::npos);
    }
  }

  TEST_CASE("a KV cache type is known by vLLM's and torch's words") {
    CHECK(parse_kv_cache_type("auto").value() == KvCacheType::Auto);
    CHECK(parse_kv_cache_type("fp8_e5m2").value() == KvCacheType::Fp8);
    CHECK(parse_kv_cache_type("FP8_E4M3").value() == KvCacheType::Fp8);
    CHECK(parse_kv_cache_type("bfloat16").value() == KvCacheType::Bf16);
    CHECK(parse_kv_cache_type("fp8_ds_mla").value() == KvCacheType::Fp8Latent);
    CHECK(parse_kv_cache_type("int8_per_token_head").value() == KvCacheType::Int8);
    CHECK(parse_kv_cache_type("turboquant_3bit_nc").value() == KvCacheType::TurboK3V3);
    CHECK(parse_kv_cache_type("turboquant_k8v4").value() == KvCacheType::TurboK8V4);
    CHECK(parse_kv_cache_type("q8_0").value() == KvCacheType::Q8_0);
    CHECK(parse_kv_cache_type("nvfp4_ds_mla").value() == KvCacheType::Nvfp4Latent);
    CHECK_FALSE(parse_kv_cache_type("awq"));
  }

  TEST_CASE("no spelling stands twice, and none shadows a published name") {
    const auto spellings = gpushape::catalog::quantization_spellings();
    for (std::size_t i = 0; i < spellings.size(); ++i) {
      CAPTURE(spellings[i].spelling);
      CHECK_FALSE(gpushape::value_of<Quantization>(spellings[i].spelling));
      CHECK(std::ranges::none_of(spellings[i].spelling,
                                 [](unsigned char c) { return std::isupper(c) || c == '_'; }));
      for (std::size_t j = 0; j < i; ++j) CHECK(spellings[i].spelling != spellings[j].spelling);
    }
  }
}
