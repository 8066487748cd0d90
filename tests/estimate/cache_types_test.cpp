// Which KV cache types an engine's release takes, and what it says of others.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/quantization_names.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

struct Asked {
  std::string_view engine;
  std::string_view version;
  std::string_view type;
  std::string_view model = "meta-llama/Llama-3.1-8B-Instruct";
};

Result<domain::Estimate> answer(const Asked& asked) {
  const Result<domain::Model> model =
      example::built_in_catalog().find_name(std::string(asked.model));
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine(asked.engine);
  REQUIRE(engine);
  domain::Workload workload = example::workload(2048, 1);
  workload.engine.engine = example::flag(std::string(asked.engine));
  workload.engine.version = example::flag(*domain::engine_version(asked.version));
  workload.kv_cache_type = example::flag(*catalog::parse_kv_cache_type(asked.type));
  return estimate::estimate_memory(*model, workload, *engine, std::nullopt);
}

void check_refused(const Asked& asked, std::string_view says, std::string_view offers) {
  CAPTURE(asked.engine);
  CAPTURE(asked.version);
  CAPTURE(asked.type);
  const Result<domain::Estimate> estimate = answer(asked);
  REQUIRE_FALSE(estimate);
  CHECK(estimate.error().front().message.contains(says));
  CHECK(estimate.error().front().help.contains(offers));
}

bool is_noted(const domain::Estimate& estimate, std::string_view words) {
  return std::ranges::any_of(estimate.notes,
                             [&](const std::string& note) { return note.contains(words); });
}

}  // namespace

TEST_SUITE("estimate") {
  // Ollama llm/ggml.go of 0.5.0, SupportsKVCacheType: f16, q8_0, q4_0. vLLM docs of 0.4.2:
  // --kv-cache-dtype {auto,fp8}; 0.10.2, config/cache.py: auto and four forms of fp8; 0.22.1
  // refuses int4_per_token_head. SGLang server_args.py: fp8_e5m2, fp8_e4m3, bf16, fp4_e2m1.
  // TensorRT-LLM model_loader.py: fp8, nvfp4; convert_checkpoint.py --int8_kv_cache.
  TEST_CASE("a KV cache type that a release lacks is refused with those that it has") {
    for (const char* type : {"q4_1", "q5_0", "q5_1", "iq4_nl", "bf16", "fp32"}) {
      check_refused({.engine = "ollama", .version = "0.15", .type = type},
                    "ollama 0.15 has no KV cache type", "use one of auto, fp16, q8_0, q4_0");
    }
    check_refused({.engine = "ollama", .version = "0.3", .type = "q8_0"}, "ollama 0.3",
                  "auto, fp16");
    for (const char* type : {"q8_0", "q4_0", "iq4_nl", "fp32"}) {
      check_refused({.engine = "vllm", .version = "0.31", .type = type}, "vllm 0.31", "fp8, bf16");
      check_refused({.engine = "sglang", .version = "0.5.13", .type = type}, "sglang 0.5.13",
                    "auto, fp8, bf16, nvfp4");
      check_refused({.engine = "tensorrt-llm", .version = "1.2", .type = type}, "tensorrt-llm 1.2",
                    "auto, fp8, int8, nvfp4");
    }
    for (const char* type : {"nvfp4", "turboquant_3bit_nc", "int8", "fp16"}) {
      check_refused({.engine = "vllm", .version = "0.4", .type = type}, "vllm 0.4",
                    "auto, fp8, bf16");
    }
    check_refused({.engine = "vllm", .version = "0.22.1", .type = "int4_per_token_head"},
                  "vllm 0.22.1", "int8");
    check_refused({.engine = "llama.cpp", .version = "b9010", .type = "fp8"}, "llama.cpp b9010",
                  "fp16, bf16, fp32, q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl");
    check_refused({.engine = "sglang", .version = "0.5.13", .type = "int8"}, "int8", "nvfp4");
  }

  TEST_CASE("a KV cache type that a release has is taken") {
    const std::vector<Asked> rows = {
        {.engine = "vllm", .version = "0.4", .type = "fp8"},
        {.engine = "vllm", .version = "0.4", .type = "bf16"},  // the model's own
        {.engine = "vllm", .version = "0.20", .type = "turboquant_4bit_nc"},
        {.engine = "vllm", .version = "0.25.1", .type = "int4_per_token_head"},
        {.engine = "vllm", .version = "0.31", .type = "nvfp4"},
        {.engine = "sglang", .version = "0.5.13", .type = "fp4_e2m1"},
        {.engine = "tensorrt-llm", .version = "1.2", .type = "nvfp4"},
        {.engine = "ollama", .version = "0.15", .type = "q4_0"},
        {.engine = "llama.cpp", .version = "b9010", .type = "iq4_nl"},
    };
    for (const Asked& asked : rows) {
      CAPTURE(asked.engine);
      CAPTURE(asked.type);
      const Result<domain::Estimate> estimate = answer(asked);
      REQUIRE(estimate);
      CHECK_FALSE(is_noted(*estimate, "KV cache type"));
    }
  }

  TEST_CASE("where a release's list is not known the type is sized, and said") {
    const Result<domain::Estimate> open =
        answer({.engine = "vllm", .version = "0.18", .type = "nvfp4"});
    REQUIRE(open);
    CHECK(is_noted(*open,
                   "whether vllm 0.18 has the KV cache type nvfp4 is not known: 0.14 has "
                   "not, 0.22.1 has"));
    // Ollama llm/llama_server.go of 0.30.0 hands OLLAMA_KV_CACHE_TYPE on unchecked.
    const Result<domain::Estimate> handed_on =
        answer({.engine = "ollama", .version = "0.31", .type = "q4_1"});
    REQUIRE(handed_on);
    CHECK(is_noted(*handed_on, "hands other types to llama-server"));
  }

  // nvidia/Llama-3.1-8B-Instruct-NVFP4, whose hf_quant_config.json asks for FP8: 0.13.0 counts
  // 60,064 tokens of 7.33 GiB, 131,072 bytes each; from pull request 30785 on it is half of that.
  TEST_CASE("ModelOpt's type of the cache is followed from 0.14 on") {
    const auto type_by = [](std::string_view version) {
      const auto estimate = answer({.engine = "vllm",
                                    .version = version,
                                    .type = "auto",
                                    .model = "nvidia/Llama-3.1-8B-Instruct-NVFP4"});
      REQUIRE(estimate);
      return *estimate;
    };
    const domain::Estimate before = type_by("0.13");
    CHECK(before.kv_bytes_per_token == Bytes(131'072));
    CHECK(before.kv_cache_type.from.contains("passes over"));
    CHECK(gib_of(7.325) / before.kv_bytes_per_token <= 60'064);
    CHECK(60'064 <= gib_of(7.335) / before.kv_bytes_per_token);
    CHECK(type_by("0.14").kv_bytes_per_token == Bytes(65'536));
  }

  TEST_CASE("a KV cache of latents is for models that keep them") {
    check_refused({.engine = "vllm", .version = "0.31", .type = "fp8_ds_mla"},
                  "fp8-ds-mla is a KV cache of latents, and meta-llama/Llama-3.1-8B-Instruct keeps "
                  "none",
                  "auto, fp8");
    CHECK(answer({.engine = "vllm",
                  .version = "0.31",
                  .type = "fp8_ds_mla",
                  .model = "deepseek-ai/DeepSeek-V3.2"}));
  }
}
