// Starts whose figures are no release's alone: with other memory beside them, of somebody's own
// build, or with settings of who started them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibrate/comparison.hpp"
#include "calibrate/logs/vllm_settings.hpp"
#include "calibrate/obstacles.hpp"
#include "calibrate/own_arguments.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"
#include "support/published_starts.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

/// Llama-3.1-8B on one H100, with the peak that its log prints.
EngineStart published_start() {
  EngineStart start = example::start_of(example::kPublishedStarts.front());
  start.activation_gib = 1.89;
  return start;
}

Comparison compared(const EngineStart& start) {
  return calibrate::compare(start, built_in_catalog(), built_in_profiles());
}

}  // namespace

TEST_SUITE("calibrate") {
  // https://github.com/AIwork4me/Qwen3.8-27B-ROCm, matrix-714: AMD's default kernels lay blocks out
  // otherwise than Triton's, which were asked for, and drafts have the default. 6,069 pages of
  // 3,276,800 bytes, 17 x 164 + 48 x 3 a request of 131,072 tokens.
  TEST_CASE("a drafting layer by other kernels than the model's has groups of its own on AMD") {
    EngineStart start;
    start.id = "strix-halo";
    start.engine = "vllm";
    start.engine_version = "0.26.1+rocm714";
    start.model = "Qwen/Qwen3.8-27B";
    start.vendor = "amd";
    start.context_tokens = 131072;
    start.draft_tokens = 1;
    start.pool_gib = 18.52;
    start.pool_tokens = 271308;
    const auto holds = [&] {
      const Comparison comparison = compared(start);
      REQUIRE(comparison.tokens);
      return comparison.tokens->holds();
    };
    CHECK_FALSE(holds());
    start.attention_backend = "TRITON_ATTN";
    CHECK(holds());
    start.engine_version =
        "0.23.0+rocm714";  // before https://github.com/vllm-project/vllm/pull/45181
    CHECK_FALSE(holds());
  }

  // https://github.com/jethac/dgx-spark-hijinks, the log of further_logs_test: 0.4 of 112.24 GiB
  // that were free, less what the weights took, are 41.58 GiB printed. Without that line nothing
  // says how much of the shared memory the page cache holds.
  TEST_CASE("a pool of shared memory is compared where the start says what was free of it") {
    EngineStart start;
    start.id = "gb10";
    start.engine = "sglang";
    start.engine_version = "0.5.10";
    start.model = "Qwen/Qwen2.5-1.5B-Instruct";
    start.gpu = "GB10";
    start.utilization = 0.4;
    start.kv_cache_type = "fp8_e4m3";
    start.pool_gib = 41.58;
    const Comparison unsaid = compared(start);
    CHECK_FALSE(unsaid.pool);
    CHECK(unsaid.without_pool.contains("page cache"));
    start.free_gib = 112.24;
    const Comparison said = compared(start);
    REQUIRE(said.pool);
    CHECK(said.pool->is_in_range());
    CHECK(std::abs(said.pool->error()) < 0.005);
  }

  // https://github.com/vllm-project/vllm/issues/10702: blocks of 107.35 GiB beside 16.46 of
  // weights, on what the thread calls H100.
  TEST_CASE("what prints more than its GPU has ran on another") {
    EngineStart start = published_start();
    start.model = "meta-llama/Meta-Llama-3.1-70B-Instruct";
    start.tensor_parallel = 8;
    start.weights_gib = 16.46;
    start.pool_gib.reset();
    start.pool_blocks = 175884;
    start.pool_tokens.reset();
    CHECK(compared(start).excluded.contains("more than the GPU has"));
    start.pool_blocks = 90000;  // 54.9 GiB
    CHECK(compared(start).excluded.empty());
  }

  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1: 0.20.2rc1.dev249 with kernels
  // of its own, whose counts are 0.9 of what releases make of their pools.
  TEST_CASE("counts of somebody's own build are no release's") {
    EngineStart start = published_start();
    CHECK(compared(start).tokens);
    CHECK(compared(start).without_tokens == "");
    start.engine_version = "0.20.2rc1.dev249+glmkimirebase20260514";
    CHECK_FALSE(compared(start).tokens);
    CHECK(compared(start).without_tokens == calibrate::kOwnBuild);
  }

  // https://github.com/machuanhu/lmcache, vllm1.log: a folder "Llama-2-13b-chat-hf" that loads 30.6
  // GiB on each of two GPUs, and keeps 128 KiB for a token on each; 12.26 and 400 are the model's.
  TEST_CASE("a folder may bear the name of another model") {
    EngineStart start = published_start();
    start.engine_version = "0.9.2";
    start.model = "/root/meta-llama/Llama-2-13b-chat-hf";
    start.tensor_parallel = 2;
    start.weights_gib = 30.5855;
    start.pool_gib = 34.34;
    start.pool_tokens = 281'280;
    start.activation_gib.reset();
    const auto excluded = [&] { return compared(start).excluded; };
    CHECK(excluded().contains("the folder holds another"));
    start.pool_tokens = 90'000;  // 400 KiB
    CHECK(excluded() == "");
    start.pool_tokens = 281'280;
    start.weights_gib = 12.26;
    CHECK(excluded() == "");
  }

  // https://github.com/tc3oliver/deepseek-v4-flash-mi300x: 156.67 GiB with three layers that draft,
  // on one MI300X. The same figures of a model without such layers are with somebody's draft.
  TEST_CASE("DSpark drafts with layers of the checkpoint, where it has some") {
    const auto starts = calibrate::read_engine_starts(
        R"({"engine": "vllm", "model": "deepseek-ai/DeepSeek-V4-Flash-0731", "gpu": "MI300X", )"
        R"("engine_version": "0.26.1rc1.dev229+g124154a88.rocm723", "tp": 1, )"
        R"("max_num_batched_tokens": 2048, "weights_gib": 156.67, )"
        R"("notes": "DSpark speculative 7 tokens"})",
        "records");
    REQUIRE(starts);
    EngineStart start = starts->front();
    const Comparison own = compared(start);
    REQUIRE(own.weights);
    CHECK(std::abs(own.weights->error()) < 0.01);
    start.model = "meta-llama/Llama-3.1-8B-Instruct";
    const Comparison other = compared(start);
    CHECK_FALSE(other.weights);
    CHECK(other.without_weights.contains("the draft model is not named"));
  }

  // Notebooks of https://github.com/unslothai/notebooks: Mistral-7B in NF4 with adapters of 32
  // loads 4.0423 GiB on an RTX 4090 by 0.8.5.
  TEST_CASE("adapters of Unsloth's starts are as its notebooks train them, where nothing is said") {
    const auto starts = calibrate::read_engine_starts(
        R"({"source_url": "https://github.com/unslothai/notebooks", "engine": "vllm", )"
        R"("engine_version": "0.8.5.post1", "model": "unsloth/mistral-7b-instruct-v0.3-bnb-4bit", )"
        R"("gpu": "NVIDIA GeForce RTX 4090", "tp": 1, "max_model_len": 1024, )"
        R"("gpu_memory_utilization": 0.58, "weights_gib": 4.0423})",
        "records");
    REQUIRE(starts);
    const Comparison open = compared(starts->front());
    REQUIRE(open.weights);
    CHECK(std::abs(open.weights->error()) < 0.002);
    EngineStart told = starts->front();
    told.adapter_rank = 32;
    const Comparison known = compared(told);
    CHECK(known.weights->width() < 0.03);
    CHECK(open.weights->width() > 0.1);
    CHECK(known.weights->predicted.expected == open.weights->predicted.expected);
  }

  // The config.json of Qwen's own AWQ is in the catalog; of anybody's, a name tells no more than
  // that.
  TEST_CASE("a comparison says whether more than a name tells the format of the weights") {
    EngineStart start = published_start();
    const auto is_open = [&](const std::string& model) {
      start.model = model;
      return compared(start).has_open_recipe;
    };
    CHECK_FALSE(is_open("meta-llama/Llama-3.1-8B-Instruct"));
    CHECK_FALSE(is_open("Qwen/Qwen2.5-Omni-7B-AWQ"));
    CHECK(is_open("somebody/Qwen3-30B-A3B-AWQ"));
  }

  // https://github.com/alint77/jupiter-glm52-vllm-worklog: experts of which a part lies with the
  // host, by an argument that no release has.
  TEST_CASE("an argument that no release takes is of somebody's own build") {
    EngineStart start = published_start();
    start.arguments = {"model_tag", "tensor_parallel_size", "swap_space", "task",
                       "_api_process_count"};
    CHECK(calibrate::own_argument(start).empty());
    start.arguments.emplace_back("enable_tiered_moe");
    CHECK(calibrate::own_argument(start) == "enable_tiered_moe");
    CHECK(compared(start).excluded.contains("no release of vllm takes 'enable_tiered_moe'"));
    start.engine_version = "0.31";  // newer than the list of what releases take
    CHECK(calibrate::own_argument(start).empty());
    start.engine_version = "0.19";
    start.engine = "sglang";
    CHECK(calibrate::own_argument(start).empty());
  }

  TEST_CASE("arguments are read from a list to where it is cut, values left out") {
    const std::string list =
        R"('port': 8000, 'hf_overrides': {'text_config': {'a': 1}}, 'note': "it's 'x': 1", )"
        R"('kinds': ['y'], 'enable_tiered_moe': True, 'tensor_paral)";
    CHECK(calibrate::logs::names_of_list(list) ==
          std::vector<std::string>{"port", "hf_overrides", "note", "kinds", "enable_tiered_moe"});
    CHECK(calibrate::logs::names_of_list("'a': 1}, 'b': 2") == std::vector<std::string>{"a"});
    CHECK(calibrate::logs::names_of_list("").empty());
    const auto starts = calibrate::read_engine_starts(
        R"q({"engine": "vllm", "model": "m", "engine_extra": {"enable_tiered_moe": true, )q"
        R"q("grace_profile": "x"}, "quotes": ["non-default args: {'port': 8000, 'mla_tier': 'a'}"]})q",
        "records");
    REQUIRE(starts);
    CHECK(starts->front().arguments ==
          std::vector<std::string>{"port", "mla_tier", "enable_tiered_moe"});
  }

  // https://github.com/vllm-project/vllm/pull/56359, on eight CDNA3 GPUs: experts of 3,072 in eight
  // parts of 384 are 512 wide, and with expert parallelism as they are.
  TEST_CASE("experts in MXFP4 beside FP8 are wider on AMD's GPUs") {
    EngineStart start;
    start.engine = "vllm";
    start.engine_version = "0.26";
    start.model = "deepseek-ai/DeepSeek-V4-Pro";
    start.gpu = "MI300X";
    start.tensor_parallel = 8;
    start.weights_gib = 135.35;
    const auto error = [&] { return compared(start).weights.value().error(); };
    CHECK(std::abs(error()) < 0.03);
    start.expert_parallel = 8;
    start.weights_gib = 103.54;
    CHECK(std::abs(error()) < 0.03);
  }

  // Who leaves out whose GPU it is: https://github.com/amdgoose/arno_vllm_chat, Qwen2.5-7B by 0.17
  // with a ROCm build loads 14.37 GiB, 14.25 with CUDA.
  TEST_CASE("a GPU that nothing names may be AMD's") {
    EngineStart start = published_start();
    start.model = "Qwen/Qwen2.5-7B-Instruct";
    start.engine_version = "0.17";
    start.pool_gib.reset();
    start.weights_gib = 14.37;
    CHECK_FALSE(compared(start).weights->is_in_range());
    start.gpu.clear();
    start.gpu_total_gib.reset();
    CHECK(compared(start).weights->is_in_range());
  }

  // https://github.com/datawhalechina/self-llm, DeepSeek-R1-0528-Qwen3-8B by Unsloth on an A100:
  // 341,328 tokens, 46.87 GiB.
  TEST_CASE("a share of the memory that Unsloth's starts leave out is anything of its notebooks") {
    EngineStart start = published_start();
    start.utilization.reset();
    start.weights_gib.reset();
    start.gpu = "A100-80GB";
    start.pool_gib = 46.87;
    start.pool_tokens.reset();
    const auto pool = [&] { return compared(start).pool.value(); };
    CHECK_FALSE(pool().is_in_range());
    start.is_by_unsloth = true;
    CHECK(pool().is_in_range());
  }

  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1, by its version and its remark
  TEST_CASE("what a build of somebody's own measures of itself is not compared") {
    EngineStart start = published_start();
    REQUIRE(compared(start).pool);
    REQUIRE(compared(start).activation);
    const auto check_left_out = [&] {
      const Comparison own = compared(start);
      CHECK(own.without_pool == "a build of somebody's own");
      CHECK_FALSE(own.pool);
      CHECK_FALSE(own.activation);
      CHECK(own.weights);
    };
    const std::string release = start.engine_version;
    start.engine_version += "+glmkimirebase20260514";
    check_left_out();
    start.engine_version = release;
    start.notes = "custom image (rebased fork)";
    check_left_out();
  }

  // Notebooks of Unsloth run 128 to 368 sequences where vLLM's default is 256.
  TEST_CASE("sequences that Unsloth chose are no default where they are not stated") {
    EngineStart start = published_start();
    start.max_num_seqs.reset();
    start.has_default_sequences = false;
    const Comparison plain = compared(start);
    start.is_by_unsloth = true;
    const Comparison open = compared(start);
    CHECK(plain.knowledge == calibrate::Knowledge::Settings);
    CHECK(open.knowledge == calibrate::Knowledge::Parts);
    REQUIRE(plain.activation);
    REQUIRE(open.activation);
    CHECK(open.activation->predicted.low < plain.activation->predicted.low);
    start.max_num_seqs = 256;
    CHECK(compared(start).knowledge == calibrate::Knowledge::Settings);
  }

  // unsloth_zoo/vllm_utils.py works the share out; vLLM prints two digits of it.
  TEST_CASE("the share that Unsloth works out is known to two digits") {
    EngineStart start = published_start();
    start.max_num_seqs = 256;
    REQUIRE(start.gpu_total_gib);
    const double rounded = 0.005 * *start.gpu_total_gib;
    const Comparison plain = compared(start);
    start.is_by_unsloth = true;
    const Comparison open = compared(start);
    REQUIRE(plain.pool);
    REQUIRE(open.pool);
    const auto apart = [](Bytes a, Bytes b) { return (a - b).gib(); };
    CHECK(apart(plain.pool->predicted.low, open.pool->predicted.low) ==
          doctest::Approx(rounded).epsilon(0.02));
    CHECK(apart(open.pool->predicted.high, plain.pool->predicted.high) ==
          doctest::Approx(rounded).epsilon(0.02));
  }

  // https://github.com/johnson7788/RLDecisionAgent, backend/ART_mcp-rl/example_mcp_rl.md: trained
  // with Unsloth, of which the log says nothing; 0.5153 GiB loaded with adapters, a peak of 1.18.
  TEST_CASE("a copy of Unsloth's in four bits may run with its adapters and its sequences") {
    EngineStart start;
    start.engine = "vllm";
    start.engine_version = "0.8.5.post1";
    start.is_first_generation = true;
    start.model = "unsloth/qwen2.5-0.5b-instruct-unsloth-bnb-4bit";
    start.quantization = "bitsandbytes";
    start.gpu = "NVIDIA GeForce RTX 4090";
    start.gpu_total_gib = 23.55;
    start.context_tokens = 32768;
    start.utilization = 0.17;
    start.weights_gib = 0.5153;
    start.activation_gib = 1.18;
    start.pool_gib = 2.32;
    CHECK_FALSE(compared(start).weights->is_in_range());
    start.may_be_by_unsloth = true;
    const Comparison open = compared(start);
    CHECK(open.knowledge == calibrate::Knowledge::Parts);
    REQUIRE(open.activation);
    REQUIRE(open.pool);
    CHECK(open.weights->is_in_range());
    CHECK(open.activation->is_in_range());
    CHECK(open.pool->is_in_range());
  }

  // The start of a hybrid by SGLang on GB10 with --disable-radix-cache and 32 running requests:
  // 59.87 GiB left of 111.73, of which a fifth stays free; 32.66 of the 37.52 between are cache,
  // and 4.86 are 33 states of 48 layers, each 48 x 128 x 128 x 4 + 3 x 10,240 x 2 bytes, and some.
  TEST_CASE("states without prefixes are those of the requests, and no share of the pool") {
    EngineStart start;
    start.engine = "sglang";
    start.engine_version = "0.5.16";
    start.model = "Qwen/Qwen3.8-27B";
    start.gpu = "GB10";
    start.utilization = 0.8;
    start.max_num_seqs = 32;
    start.context_tokens = 2048;
    start.free_gib = 111.73;
    start.pool_gib = 32.66;
    const auto error = [&] {
      const Comparison told = compared(start);
      return told.pool ? std::abs(told.pool->error()) : 1;
    };
    CHECK(error() > 0.3);
    start.prefix_caching = false;
    CHECK(error() < 0.03);
    start.prefix_caching.reset();
    start.state_slots = 32;
    CHECK(error() < 0.03);
  }
}
