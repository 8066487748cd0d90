#include "catalog/repository_name.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/built_in_catalog.hpp"

using gpushape::catalog::quantized_name;
using gpushape::domain::KvCacheType;
using gpushape::domain::Quantization;

TEST_SUITE("catalog") {
  TEST_CASE("the name of a quantized repository tells its base model and its precision") {
    struct Row {
      const char* repository;
      const char* base;
      Quantization linear;
    };
    const std::vector<Row> rows = {
        {"RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic", "llama-3.3-70b-instruct",
         Quantization::Fp8Channel},
        {"redhatai/Llama-3.3-70B-Instruct-quantized.w8a8", "llama-3.3-70b-instruct",
         Quantization::Int8},
        {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "meta-llama-3.1-8b-instruct",
         Quantization::GptqInt4},
        {"RedHatAI/Qwen3-32B-quantized.w4a16", "qwen3-32b", Quantization::Int4},
        {"neuralmagic/Meta-Llama-3-8B-Instruct-FP8", "meta-llama-3-8b-instruct", Quantization::Fp8},
        {"Qwen/Qwen3-8B-FP8", "qwen3-8b", Quantization::Fp8Block},
        {"Qwen/Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b-instruct", Quantization::Awq},
        {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "qwen2.5-7b-instruct", Quantization::GptqInt8},
        {"jakiAJK/DeepSeek-R1-Distill-Qwen-7B_GPTQ-int4", "deepseek-r1-distill-qwen-7b",
         Quantization::GptqInt4},
        {"unsloth/Llama-3.2-3B-Instruct-unsloth-bnb-4bit", "llama-3.2-3b-instruct",
         Quantization::BnbNf4Double},
        {"mlx-community/Qwen3-8B-4bit", "qwen3-8b", Quantization::Int4},
        {"mlx-community/Qwen3-8B-6bit", "qwen3-8b", Quantization::MlxInt6},
        {"lmstudio-community/Qwen3-8B-MLX-4bit", "qwen3-8b", Quantization::Int4},
        {"bartowski/Qwen3-8B-GGUF", "qwen3-8b", Quantization::MixQ4KM},
        {"someone/Qwen3-8B-Q8_0-GGUF", "qwen3-8b", Quantization::Q8_0},
        {"Qwen3-8B.Q3_K_L", "qwen3-8b", Quantization::MixQ3KL},
        {"nvidia/Qwen3-32B-NVFP4", "qwen3-32b", Quantization::Nvfp4},
        {"hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", "meta-llama-3.1-8b-instruct",
         Quantization::Awq},
        {"qwen2.5-7b-instruct-awq", "qwen2.5-7b-instruct", Quantization::Awq},
        // Words of --quant that no publisher has for his own.
        {"someone/Qwen3-8B-HQQ", "qwen3-8b", Quantization::Awq},
        {"someone/Qwen3-8B-NVFP4-AWQ", "qwen3-8b", Quantization::Nvfp4},
        {"someone/Qwen3-8B-w4a16_asym", "qwen3-8b", Quantization::Awq},
        {"dbirks/Qwen3.8-27B-W4A16-AutoRound", "qwen3.8-27b", Quantization::GptqInt4},
        {"someone/Qwen3.8-27B-AutoRound-W4A16", "qwen3.8-27b", Quantization::GptqInt4},
    };
    for (const Row& row : rows) {
      CAPTURE(row.repository);
      const auto name = quantized_name(row.repository);
      REQUIRE(name);
      CHECK(name->base == row.base);
      CHECK(name->suffix->linear == row.linear);
    }
    CHECK(quantized_name("nvidia/Llama-3.1-8B-Instruct-FP8")->suffix->kv_cache == KvCacheType::Fp8);
    CHECK_FALSE(quantized_name("RedHatAI/Qwen3-8B-FP8")->suffix->kv_cache);
    CHECK(quantized_name("gaunernst/gemma-3-4b-it-int4-awq")->suffix->group == 32);
    CHECK(quantized_name("RedHatAI/Qwen3.6-35B-A3B-NVFP4")->suffix->is_whole);
    CHECK_FALSE(quantized_name("someone/Qwen3.6-35B-A3B-NVFP4")->suffix->is_whole);
  }

  TEST_CASE("a name without such a suffix, or with nothing before it, tells nothing") {
    for (const char* name : {"meta-llama/Llama-3.1-8B", "Qwen/-AWQ", "-awq", "", "/", "fp8",
                             "someone/Model-inc", "someone/Model-half"}) {
      CAPTURE(name);
      CHECK_FALSE(quantized_name(name));
    }
  }

  TEST_CASE("an altered model's name tells its base, whose tensors it has") {
    struct Row {
      const char* repository;
      const char* base;
    };
    for (const Row& row : {
             Row{"huihui-ai/Huihui-gpt-oss-20b-mxfp4-abliterated-v2", "gpt-oss-20b-mxfp4"},
             Row{"AEON-7/Qwen3.6-35B-A3B-heretic-NVFP4", "Qwen3.6-35B-A3B-NVFP4"},
             Row{"AEON-7/Gemma-4-26B-A4B-it-Uncensored-NVFP4", "Gemma-4-26B-A4B-it-NVFP4"},
             Row{"Mistral-Nemo-Instruct-2407-Absolute-Heresy", "Mistral-Nemo-Instruct-2407"},
         }) {
      CAPTURE(row.repository);
      CHECK(gpushape::catalog::unaltered_name(row.repository) == row.base);
    }
    for (const char* name : {"Qwen/Qwen3-8B", "someone/Hereticus-8B", "someone/x-hereticism-8B"}) {
      CAPTURE(name);
      CHECK_FALSE(gpushape::catalog::unaltered_name(name));
    }
  }

  TEST_CASE("words that people add to a model without other kinds are passed over") {
    using gpushape::catalog::untaught_name;
    CHECK(untaught_name("qwen3-8b-instruct") == "qwen3-8b");
    CHECK(untaught_name("Qwen/Qwen3-8B-Chat") == "Qwen/Qwen3-8B");
    CHECK_FALSE(untaught_name("Qwen/Qwen3-8B"));
    const auto model = gpushape::example::built_in_catalog().find_name("qwen3-8b-instruct");
    REQUIRE(model);
    CHECK(model->base == "Qwen/Qwen3-8B");
    // Where there is such a model, it is that one.
    const auto taught = gpushape::example::built_in_catalog().find_name("Qwen2.5-7B-Instruct");
    REQUIRE(taught);
    CHECK(taught->id == "Qwen/Qwen2.5-7B-Instruct");
  }

  TEST_CASE("names are compared without the owner that converters put before them") {
    using gpushape::catalog::comparable_name;
    CHECK(comparable_name("bartowski/google_gemma-3-27b-it") == comparable_name("gemma-3-27b-it"));
    CHECK(comparable_name("Models-Mistralai-Mistral-Nemo-Instruct-2407") ==
          comparable_name("mistralai/Mistral-Nemo-Instruct-2407"));
    CHECK(comparable_name("bartowski/Qwen_Qwen3-8B") == comparable_name("Qwen/Qwen3-8B"));
    CHECK(comparable_name("Qwen/Qwen-7B") == "qwen7b");
    CHECK(comparable_name("meta-llama_Llama-3.1-8B") == comparable_name("Meta-Llama-3.1-8B"));
  }

  TEST_CASE("copies that keep the layers which predict are read as others of their format") {
    const auto named = quantized_name("lukealonso/GLM-5.1-NVFP4-MTP");
    REQUIRE(named);
    CHECK(named->base == "glm-5.1");
    CHECK(named->suffix->linear == gpushape::domain::Quantization::Nvfp4);
    CHECK_FALSE(quantized_name("XiaomiMiMo/MiMo-7B-MTP"));
  }

  TEST_CASE("every suffix is lower case and has a source") {
    for (const auto& row : gpushape::catalog::repository_suffixes()) {
      CAPTURE(row.suffix);
      CHECK(quantized_name(std::string(row.organization) + (row.organization.empty() ? "" : "/") +
                           (row.base.empty() ? "x" : std::string(row.base)) +
                           (row.suffix.starts_with('-') ? "" : "-") + std::string(row.suffix))
                ->suffix == &row);
      CHECK_FALSE(row.source.empty());
    }
  }
}
