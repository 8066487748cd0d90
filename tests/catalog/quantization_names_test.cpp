#include "catalog/quantization_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/quantization_methods.hpp"
#include "catalog/stored_precision.hpp"

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

  // Words of vLLM's and SGLang's --quantization, of ModelOpt's quant_algo, of TensorRT-LLM's
  // QuantAlgo and of llm-compressor's schemes; bits as their names or their manuals say.
  TEST_CASE("engines' own words for a method are known") {
    struct Row {
      const char* word;
      int bits;
    };
    const std::vector<Row> rows = {
        {"hqq", 4},
        {"eetq", 8},
        {"quanto", 8},
        {"bnb", 4},
        {"intel/auto-round", 4},
        {"FP8_PER_CHANNEL_PER_TOKEN", 8},
        {"W8A8_SQ_PER_CHANNEL", 8},
        {"W8A8_SQ_PER_CHANNEL_PER_TOKEN_PLUGIN", 8},
        {"NVFP4_AWQ", 4},
        {"W4A8_NVFP4_FP8", 4},
        {"W4A8_MXFP4_FP8", 4},
        {"W4A16_MXFP4", 4},
        {"FP8_PB_REAL", 8},
        {"FP8_BLOCK_SCALES", 8},
        {"fp8_e5m2", 8},
        {"fp8_inc", 8},
        {"modelopt_fp8", 8},
        {"experts_int8", 8},
        {"W4A16_GPTQ", 4},
        {"auto_gptq", 4},
        {"autoawq", 4},
        {"w4a16_asym", 4},
    };
    for (const Row& row : rows) {
      CAPTURE(row.word);
      const auto value = parse_quantization(row.word);
      REQUIRE(value);
      CHECK(gpushape::domain::scheme(*value).weight_bits == row.bits);
    }
    CHECK(parse_quantization("w4a16_asym").value() == Quantization::Awq);  // with zero points
  }

  TEST_CASE("what a config may name, a flag may, or is told what to give instead") {
    std::vector<std::string_view> words = gpushape::catalog::quantization_methods();
    std::ranges::copy(gpushape::catalog::modelopt_algorithms(), std::back_inserter(words));
    for (const std::string_view word : words) {
      CAPTURE(word);
      const bool is_known = parse_quantization(word).has_value();
      CHECK(is_known == gpushape::catalog::why_no_quantization(word).empty());
    }
  }

  TEST_CASE("words for the checkpoint's own precision ask for none") {
    for (const char* word : {"auto", "none", "None", "stored"}) {
      CAPTURE(word);
      CHECK(gpushape::catalog::is_as_stored(word));
      CHECK_FALSE(parse_quantization(word));
    }
    CHECK_FALSE(gpushape::catalog::is_as_stored("bf16"));
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
        {"gptq_marlin_24", "keeps two of four weights", "gptq-int4"},
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
