// Words that people put behind a model's name for the format of its weights, in many orders.
#include "catalog/format_tail.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "support/built_in_catalog.hpp"

namespace gpushape {
namespace {

using catalog::format_tail;
using catalog::FormatTail;
using catalog::quantized_name;
using domain::Quantization;

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("words for a format mean the same in any order") {
    struct Row {
      const char* repository;
      const char* base;
      Quantization linear;
    };
    for (const Row& row : {
             // vLLM tests/quantization/test_compressed_tensors.py: scales by channel, static or by
             // token; lm-eval-harness/configs.
             Row{"nm-testing/Meta-Llama-3-8B-Instruct-W8A8-FP8-Channelwise-compressed-tensors",
                 "meta-llama-3-8b-instruct", Quantization::Fp8Channel},
             Row{"nm-testing/tinyllama-w8a8-compressed-tensors", "tinyllama", Quantization::Int8},
             // https://github.com/dhayanesh/llm-quantization
             Row{"ministral_8b-FP8-W8A8", "ministral_8b", Quantization::Fp8},
             Row{"someone/Qwen3-8B-W8A8-FP8-Block", "qwen3-8b", Quantization::Fp8Block},
             Row{"someone/Qwen3-8B-int8-W8A8-SmoothQuant", "qwen3-8b", Quantization::Int8},
             Row{"someone/Qwen3-8B-GPTQ-Int8-W8A16", "qwen3-8b", Quantization::GptqInt8},
             Row{"someone/Qwen3-8B_AWQ_W4A16_ASYM", "qwen3-8b", Quantization::Awq},
             Row{"someone/Qwen3-8B-4bit-AWQ", "qwen3-8b", Quantization::Awq},
             Row{"someone/Qwen3-8B-int4wo-hqq", "qwen3-8b", Quantization::Awq},
             Row{"pytorch/Qwen3-8B-float8dq", "qwen3-8b", Quantization::Fp8Channel},
             Row{"someone/Qwen3-8B-NVFP4-W4A16", "qwen3-8b", Quantization::Nvfp4},
             Row{"someone/Qwen3-8B-NVFP4-FP8", "qwen3-8b", Quantization::Nvfp4},
             Row{"someone/Qwen3-8B-int8-bnb", "qwen3-8b", Quantization::BnbInt8},
             Row{"someone/Qwen3-8B-int4-AutoRound-sym", "qwen3-8b", Quantization::GptqInt4},
         }) {
      CAPTURE(row.repository);
      const auto name = quantized_name(row.repository);
      REQUIRE(name);
      CHECK(name->base == row.base);
      CHECK(name->suffix->linear == row.linear);
    }
  }

  TEST_CASE("bits alone, words that contradict each other and words of a model are no format") {
    for (const std::string repository : {"someone/Qwen3-8B-4bit",     // bitsandbytes, MLX, GPTQ …
                                         "someone/Qwen3-8B-AWQ-FP8",  // which of them?
                                         "someone/Qwen3-8B-MXFP4-FP8",  //
                                         "someone/Qwen3-8B-int4-int8",  //
                                         "someone/Qwen3-8B-static",     //
                                         "fp8-dynamic",                 // of nothing
                                         "someone/Qwen3-8B", "", "/", "-fp8-"}) {
      CAPTURE(repository);
      CHECK_FALSE(format_tail(repository));
    }
    const std::optional<FormatTail> tail = format_tail("someone/Qwen3-8B-GPTQ-Int4-g32");
    REQUIRE(tail);
    CHECK(tail->length == std::string_view("-GPTQ-Int4-g32").size());
    CHECK(tail->suffix == "-gptq-int4-g32");
  }

  TEST_CASE("a group's size in the name is the size of the groups") {
    const auto group_of = [](const char* name) {
      const auto model = example::built_in_catalog().find_name(name);
      REQUIRE(model);
      return model->weights.group;
    };
    CHECK(group_of("Qwen3-8B-GPTQ-Int4-g32") == 32);
    CHECK(group_of("Qwen3-8B-W4A16-G64") == 64);
    CHECK(group_of("Qwen3-8B-AWQ-4bit-32g") == 32);
  }
}

}  // namespace gpushape
