// What a start was told, as its log says it, and what an estimate makes of that.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/as_started.hpp"
#include "calibrate/comparison.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/prediction.hpp"
#include "calibrate/started_model.hpp"
#include "estimate/estimate_memory.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

using namespace gpushape;

namespace {

calibrate::EngineStart start_told(const std::string& arguments, const std::string& model = "a/b") {
  const auto log = calibrate::read_engine_log(
      "INFO 04-12 18:36:11 [api_server.py:1035] args: Namespace(model='" + model + "', " +
          arguments +
          ", max_num_seqs=None)\n"
          "INFO Model loading took 0.7318 GiB and 1.412070 seconds\n"
          "INFO [core.py:61] Initializing a V1 LLM engine (v0.19.0) with config: model='" +
          model + "', tensor_parallel_size=2\n",
      "told.log");
  REQUIRE(log.has_value());
  return log->start;
}

domain::Workload workload_told(const std::string& arguments, const std::string& model) {
  const Result<domain::Model> found =
      calibrate::find_started_model(model, example::built_in_catalog());
  REQUIRE(found);
  return calibrate::workload_of(start_told(arguments, model), *found, {0, 19, 0});
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("rank and slots of adapters count where there are adapters only") {
    const auto without = start_told("enable_lora=False, max_lora_rank=16, max_loras=1");
    CHECK_FALSE(without.adapter_rank.has_value());
    CHECK_FALSE(without.adapters.has_value());
    const auto with = start_told("enable_lora=True, max_lora_rank=16, max_loras=64");
    CHECK(with.adapter_rank == 16);
    CHECK(with.adapters == 64);
    const domain::Workload workload =
        workload_told("enable_lora=True, max_lora_rank=16, max_loras=64", "Qwen/Qwen3-4B");
    REQUIRE(workload.adapters);
    CHECK(workload.adapters->count.value == 64);
  }

  // https://github.com/mnmehta/kimi-k3, profiler-results: four layers of 93 by --hf-overrides. A
  // rope that is scaled is the model's all the same.
  TEST_CASE("a model may be told other sizes than its config has") {
    CHECK(start_told("hf_overrides={'text_config': {'num_hidden_layers': 4, 'num_experts': 32}}")
              .has_other_sizes);
    CHECK_FALSE(start_told("hf_overrides={}, kept={'num_experts': 1}").has_other_sizes);
    CHECK_FALSE(start_told("hf_overrides={'rope_scaling': {'factor': 4.0}}").has_other_sizes);
    auto start = start_told("seed=0", "Qwen/Qwen3-4B");
    const auto excluded = [&] {
      return calibrate::compare(start, example::built_in_catalog(), example::built_in_profiles())
          .excluded;
    };
    CHECK(excluded().empty());
    start.has_other_sizes = true;
    CHECK(excluded().contains("hf_overrides"));
  }

  // https://github.com/djangodevreng/dgx-spark-benchmarks, nemotron-3-nano-30b-a3b/nvfp4 (0.26.0 on
  // GB10): 18.21 GiB by Marlin, whose experts of 1,856 are as wide; rows to 128 make 1,920 of them.
  TEST_CASE("experts in NVFP4 are as wide as the kernels that were told want them") {
    calibrate::EngineStart start =
        start_told("moe_backend='marlin'", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4");
    CHECK(start.expert_backend == "marlin");
    start.engine_version = "0.26.0";
    start.gpu = "GB10";
    start.tensor_parallel = 1;
    start.weights_gib = 18.21;
    const auto error = [&] {
      return calibrate::compare(start, example::built_in_catalog(), example::built_in_profiles())
          .weights.value()
          .error();
    };
    CHECK(std::abs(error()) < 0.01);
    start.expert_backend.clear();
    CHECK(error() > 0.02);
  }

  // https://github.com/mnmehta/kimi-k3, conc-sweep-dp2: --kv-cache-memory-bytes 160000000.
  TEST_CASE("a pool that was told its size says nothing of what was left for it") {
    auto start = start_told("kv_cache_memory_bytes=160000000", "Qwen/Qwen3-4B");
    CHECK(start.told_pool_bytes == 160'000'000);
    CHECK_FALSE(start_told("kv_cache_memory_bytes=None").told_pool_bytes);
    const domain::Workload workload =
        workload_told("kv_cache_memory_bytes=160000000", "Qwen/Qwen3-4B");
    CHECK(workload.engine.kv_cache_memory_bytes->value == Bytes(160'000'000));
    start.gpu = "H100";
    start.tensor_parallel = 1;
    start.pool_gib = 0.15;
    const auto compared =
        calibrate::compare(start, example::built_in_catalog(), example::built_in_profiles());
    CHECK_FALSE(compared.pool);
    CHECK(compared.without_pool == "the pool was told its size");
  }

  // Qwen3-235B-A22B-Instruct-2507-FP8 by 0.20.0 on four H100 with --num-gpu-blocks-override 15000
  // prints 12.15 GiB and 240,000 tokens, which are 15,000 blocks of 16; the profile of graphs
  // prints an override of its own.
  TEST_CASE("a cache that was told its blocks says nothing of how many fit") {
    CHECK(start_told("num_gpu_blocks_override=15000").told_blocks == 15000);
    CHECK_FALSE(start_told("num_gpu_blocks_override=None").told_blocks);
    const auto log_with = [](std::string_view line) {
      const auto log = calibrate::read_engine_log(
          fmt::format("INFO Initializing a V1 LLM engine (v0.20.0) with config: model='a/b'\n"
                      "INFO Model loading took 0.7318 GiB and 1.412070 seconds\n{}\n",
                      line),
          "told.log");
      REQUIRE(log);
      return log->start.told_blocks;
    };
    CHECK(log_with("Overriding num_gpu_blocks=17120 with num_gpu_blocks_override=15000") == 15000);
    CHECK_FALSE(log_with("Overriding num_gpu_blocks=0 with num_gpu_blocks_override=512"));
    const auto starts = calibrate::read_engine_starts(
        R"({"engine": "vllm", "engine_version": "0.20.0", "gpu": "H100", "tp": 4, )"
        R"("model": "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "kv_cache_gib": 12.15, )"
        R"("kv_cache_tokens": 240000, "num_gpu_blocks": 15000, )"
        R"("engine_extra": {"flags": "--num-gpu-blocks-override 15000"}})",
        "records");
    REQUIRE(starts);
    const auto compared = calibrate::compare(starts->front(), example::built_in_catalog(),
                                             example::built_in_profiles());
    CHECK_FALSE(compared.tokens);
    CHECK_FALSE(compared.blocks);
    CHECK(compared.without_tokens == "the number of blocks was told");
  }

  // https://github.com/alpharomercoma/qwen3.8-27b-rtx4090-vllm, serve_heretic.log (0.30.0): 4.5 GiB
  // hold 246,094 tokens with states of 16 bits; the config has 32.
  TEST_CASE("states may be told another type than the config's") {
    CHECK(start_told("mamba_ssm_cache_dtype='float16'").state_bits == 16);
    CHECK(start_told("mamba_ssm_cache_dtype='float32'").state_bits == 32);
    CHECK_FALSE(start_told("mamba_ssm_cache_dtype='auto'").state_bits);
    const auto starts = calibrate::read_engine_starts(
        R"({"engine": "vllm", "engine_version": "0.30.0", "model": "Qwen/Qwen3.8-27B-FP8", )"
        R"("gpu": "H200", "tp": 1, "max_model_len": 65536, "max_num_batched_tokens": 2048, )"
        R"("max_num_seqs": 16, "kv_cache_dtype": "int4_per_token_head", "kv_cache_gib": 4.5, )"
        R"("kv_cache_tokens": 246094, "engine_extra": {"enable_prefix_caching": true, )"
        R"("mamba_ssm_cache_dtype": "float16", "language_model_only": true}})",
        "records");
    REQUIRE(starts);
    calibrate::EngineStart start = starts->front();
    const auto holds = [&] {
      const auto compared =
          calibrate::compare(start, example::built_in_catalog(), example::built_in_profiles());
      return compared.tokens.value().holds();
    };
    CHECK(holds());
    start.state_bits.reset();
    CHECK_FALSE(holds());
  }

  // The line with the engine's configuration is often quoted without its end.
  TEST_CASE("what the arguments say stands where the configuration is silent") {
    CHECK(start_told("enforce_eager=True").enforce_eager);
    CHECK_FALSE(start_told("enforce_eager=False").enforce_eager);
    CHECK(start_told("enable_prefix_caching=True").prefix_caching == true);
    CHECK(start_told("enable_prefix_caching=False").prefix_caching == false);
    CHECK_FALSE(start_told("enable_prefix_caching=None").prefix_caching);
    CHECK(start_told("enable_chunked_prefill=True").chunks_prompts == true);
    CHECK(start_told("enable_chunked_prefill=False").chunks_prompts == false);
    CHECK_FALSE(start_told("enable_chunked_prefill=None").chunks_prompts);
    const auto log = calibrate::read_engine_log(
        "INFO args: Namespace(model='a/b', enable_prefix_caching=True)\n"
        "INFO Initializing a V1 LLM engine (v0.19.0) with config: model='a/b', "
        "enable_prefix_caching=False\n"
        "INFO Model loading took 0.7318 GiB and 1.412070 seconds\n",
        "told.log");
    REQUIRE(log);
    CHECK(log->start.prefix_caching == false);  // the engine may turn it off for a model
  }

  // https://github.com/unslothai/notebooks nb/Qwen2.5_(3B)-GRPO.ipynb (0.8.5 on a T4) loads 2.2160
  // GiB, 0.06 of them slots of adapters: the list is what the checkpoint's own config says.
  TEST_CASE("modules that bitsandbytes leaves alone are those that the engine lists") {
    const std::string start =
        "Unsloth: vLLM loading unsloth/qwen2.5-3b-instruct-unsloth-bnb-4bit with actual GPU "
        "utilization = 49.46%\n"
        "Unsloth: vLLM Bitsandbytes config using kwargs = {'load_in_4bit': True, "
        "'llm_int8_skip_modules': ['lm_head', 're:(a+)+', 'model.layers.2.mlp', "
        "'model.layers.3.mlp', 'model.layers.30.mlp'], 'llm_int8_threshold': 6.0}\n"
        "INFO Initializing a V0 LLM engine (v0.8.5) with config: "
        "model='unsloth/qwen2.5-3b-instruct-unsloth-bnb-4bit', max_seq_len=1024\n"
        "INFO Model loading took 2.2160 GiB and 1.4 seconds\n";
    const auto log = calibrate::read_engine_log(start, "told.log");
    REQUIRE(log.has_value());
    const std::vector<std::string> listed = {"lm_head", "model.layers.2.mlp", "model.layers.3.mlp",
                                             "model.layers.30.mlp"};
    CHECK(log->start.kept_modules == listed);
    const auto catalogued =
        example::built_in_catalog().find("unsloth/qwen2.5-3b-instruct-unsloth-bnb-4bit");
    REQUIRE(catalogued.has_value());
    // Of the same checkpoint under a name that no entry has.
    domain::Model told = *catalogued;
    told.weights.kept = {"lm_head"};
    told.weights.richer = 0.1;
    told = calibrate::as_started(told, log->start);
    CHECK(told.weights.kept == listed);
    CHECK(told.weights.richer == 0);
    CHECK(told.exceptions == catalogued->exceptions);
  }

  // A notebook's start on a T4 (0.7.2): 8.78 GiB of 14.74 are 59.59 %, which the engine prints as
  // 0.60.
  TEST_CASE("Unsloth says what it gives the engine, and better than the engine prints it") {
    const auto log = calibrate::read_engine_log(
        "Unsloth: vLLM loading unsloth/meta-llama-3.1-8b-instruct-bnb-4bit with actual GPU "
        "utilization = 59.59%\n"
        "Unsloth: Using conservativeness = 1.0. Chunked prefill tokens = 512. Num Sequences = "
        "160.\n"
        "INFO [punica_selector.py:18] Using PunicaWrapperGPU.\n"
        "INFO Initializing a V0 LLM engine (v0.7.2) with config: "
        "model='unsloth/meta-llama-3.1-8b-instruct-bnb-4bit', max_seq_len=512\n"
        "INFO worker.py:267] the current vLLM instance can use total_gpu_memory (14.74GiB) x "
        "gpu_memory_utilization (0.60) = 8.78GiB\n"
        "INFO worker.py:267] model weights take 5.35GiB; non_torch_memory takes 0.05GiB; PyTorch "
        "activation peak memory takes 0.74GiB; the rest of the memory reserved for KV Cache is "
        "2.64GiB.\n",
        "unsloth.log");
    REQUIRE(log.has_value());
    CHECK(log->start.utilization == doctest::Approx(0.5959));
    CHECK(log->start.max_num_seqs == 160);
    CHECK(log->start.max_num_batched_tokens == 512);
    CHECK(log->start.is_library);
    CHECK(log->start.has_adapters);
  }

  // https://github.com/basilenouvellet/unsloth-grpo-fine-tuning, Llama3.1_(8B)-GRPO.ipynb (0.7.2 on
  // a T4): 7.9 % of 14.74 GiB hold no cache, and neither does the second engine's share.
  TEST_CASE("an engine that Unsloth makes after one that failed has settings of its own") {
    const std::string model = "unsloth/qwen2.5-1.5b-instruct-unsloth-bnb-4bit";
    const std::string start =
        "INFO llm_engine.py:234] Initializing a V0 LLM engine (v0.7.2) with config: model='" +
        model + "', max_seq_len=256\n";
    const std::string figures =
        "INFO worker.py:267] the current vLLM instance can use total_gpu_memory (14.74GiB) x "
        "gpu_memory_utilization (0.08) = 1.16GiB\n"
        "INFO worker.py:267] model weights take 1.43GiB; non_torch_memory takes 0.00GiB; PyTorch "
        "activation peak memory takes 0.69GiB; the rest of the memory reserved for KV Cache is "
        "-0.95GiB.\n"
        "INFO executor_base.py:110] # CUDA blocks: 0, # CPU blocks: 0\n"
        "INFO executor_base.py:115] Maximum concurrency for 256 tokens per request: 0.00x\n";
    const auto log = calibrate::read_engine_log(
        "Unsloth: vLLM loading " + model +
            " with actual GPU utilization = 7.9%\n"
            "Unsloth: Using conservativeness = 1.0. Chunked prefill tokens = 256. Num Sequences = "
            "128.\n" +
            start + "INFO model_runner.py:1115] Loading model weights took 1.4331 GB\n" + figures +
            "Unsloth: Retrying vLLM to process 96 sequences and 256 tokens in tandem.\nError:\n"
            "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` "
            "when initializing the engine.\n" +
            start + "INFO model_runner.py:1115] Loading model weights took 1.4253 GB\n" + figures,
        "unsloth.log");
    REQUIRE(log.has_value());
    CHECK(log->start.weights_gib == doctest::Approx(1.4253));
    CHECK(log->start.max_num_seqs == 96);
    CHECK(log->start.max_num_batched_tokens == 256);
    CHECK(log->earlier_models == std::vector<std::string>{model});
  }

  // https://github.com/unslothai/notebooks nb/Qwen2_5_7B_VL_GRPO.ipynb (0.9.2): the engine says
  // "Chunked prefill is enabled with max_num_batched_tokens=16384" a line later.
  TEST_CASE("steps that Unsloth speaks of are not those of a model of images") {
    const auto log = calibrate::read_engine_log(
        "Unsloth: Using conservativeness = 1.0. Chunked prefill tokens = 2048. Num Sequences = 1.\n"
        "INFO Initializing a V0 LLM engine (v0.9.2) with config: "
        "model='unsloth/qwen2.5-vl-7b-instruct-unsloth-bnb-4bit', max_seq_len=16384\n"
        "INFO Model loading took 6.7940 GiB and 1.4 seconds\n",
        "unsloth.log");
    REQUIRE(log.has_value());
    CHECK(log->start.max_num_seqs == 1);
    CHECK_FALSE(log->start.max_num_batched_tokens.has_value());
  }

  // vLLM config/offload.py: cpu_offload_gb is of each GPU, and there are two.
  // Qwen3.8-Flash-Next on eight H100 by a build of 0.31.1, and DeepSeek-V4.1-Flash.
  TEST_CASE("where tables of n-grams lie is what the engine prints") {
    const auto tables_in = [](const std::string& line) {
      const auto log = calibrate::read_engine_log(
          line +
              "\nINFO Model loading took 17.36 GiB and 1.4 seconds\n"
              "INFO [core.py:61] Initializing a V1 LLM engine (v0.31.0) with config: model='a/b'\n",
          "told.log");
      REQUIRE(log.has_value());
      return log->start.has_tables_elsewhere;
    };
    CHECK(
        tables_in("Initialized PLE embedding m.ple: quantization_method=Qwen4ExpPLE, weight_dtype="
                  "torch.bfloat16, weight_device=cpu, pinned=True") == true);
    CHECK(
        tables_in("Initialized PLE embedding m.ple: quantization_method=Qwen4ExpPLE, weight_dtype="
                  "torch.bfloat16, weight_device=cuda:0, pinned=False") == false);
    CHECK(tables_in("Engram table offloaded to pinned host memory: 48002473 rows x 256, 11.80 GiB "
                    "per rank") == true);
    CHECK(tables_in("VLLM_PLE_CPU_OFFLOAD=0 vllm serve m") == false);
    CHECK_FALSE(tables_in("vllm serve m").has_value());
  }

  // The lists as 0.10.0 and 0.19.0 print them, the first shortened.
  TEST_CASE("which batches are captured is what the engine prints") {
    using Batches = std::vector<std::int64_t>;
    const auto captured = [](const std::string& generation, const std::string& config) {
      const auto log = calibrate::read_engine_log(
          "INFO Model loading took 12.5523 GiB and 1.4 seconds\n"
          "INFO [core.py:71] Initializing a " +
              generation + " LLM engine (v0.10.0) with config: model='a/b', compilation_config={" +
              config + "}\n",
          "told.log");
      REQUIRE(log.has_value());
      return log->start.graph_batches;
    };
    CHECK(captured("V1", "\"cudagraph_capture_sizes\":[4,2,1],\"max_capture_size\":4") ==
          Batches{1, 2, 4});
    CHECK(captured("V1", "'cudagraph_capture_sizes': [1, 2, 4, 8], 'inductor_passes': {}") ==
          Batches{1, 2, 4, 8});
    CHECK(captured("V0", "\"cudagraph_capture_sizes\":[4,2,1]").empty());  // as sequences want
    CHECK(captured("V1", "\"cudagraph_capture_sizes\":[]").empty());
    CHECK(captured("V1", "\"cudagraph_capture_sizes\":[0,2]").empty());
    CHECK(captured("V1", "\"cudagraph_capture_sizes\":[8,x]").empty());
    CHECK(captured("V1", "\"cudagraph_capture_sizes\":null,\"compile_sizes\":[7]").empty());
    CHECK(captured("V1", "\"cudagraph_capture_sizes\":[8,4").empty());  // the line is cut
  }

  TEST_CASE("what goes to the host is of each GPU") {
    CHECK(start_told("cpu_offload_gb=10").offload_gib == 10);
    CHECK_FALSE(start_told("cpu_offload_gb=0").offload_gib.has_value());
    CHECK(workload_told("cpu_offload_gb=10", "Qwen/Qwen3-4B").contract.cpu_offload_bytes.value ==
          gib(20));
  }

  // A start of gemma-4-31B-it (0.26.0) without images and sound is profiled "with 3 video items"
  // and loads its tower; Gemma 3 takes images alone.
  TEST_CASE("a tower is left out where nothing that it encodes is let in") {
    const auto is_text_alone = [](const std::string& limits, const std::string& model) {
      const auto images = workload_told("limit_mm_per_prompt={" + limits + "}", model).images;
      return images && images->value == 0;
    };
    CHECK_FALSE(is_text_alone("'image': 0, 'audio': 0", "google/gemma-4-31B-it"));
    CHECK(is_text_alone("'image': 0, 'video': 0", "google/gemma-4-31B-it"));
    CHECK(is_text_alone("'image': 0", "google/gemma-3-27b-it"));
    CHECK(is_text_alone("'image': 0", "HuggingFaceTB/SmolVLM-500M-Instruct"));
    CHECK_FALSE(is_text_alone("'image': 1, 'video': 0", "google/gemma-3-27b-it"));
  }

  // Starts of Qwen3-4B (0.8.5), and of Llama-3.1-8B with 40,000 tokens (0.6.5), whose activation of
  // 2.53 GiB is that of one whole prompt: chunked_prefill_enabled=False.
  TEST_CASE("the first generation's step holds the longest prompt unless it is cut") {
    const auto step_of = [](const std::string& engine, const std::string& settings,
                            domain::EngineVersion version) {
      const auto log = calibrate::read_engine_log(
          "INFO Initializing " + engine + " with config: model='Qwen/Qwen3-4B', " + settings +
              ", dtype=torch.float16, tensor_parallel_size=1\n"
              "INFO Loading model weights took 7.5552 GiB\n",
          "first.log");
      REQUIRE(log.has_value());
      const auto model = example::built_in_catalog().find_name("Qwen/Qwen3-4B");
      const auto vllm = example::built_in_catalog().engine("vllm");
      REQUIRE(model);
      REQUIRE(vllm);
      const auto estimate = estimate::estimate_memory(
          *model, calibrate::workload_of(log->start, *model, version), *vllm, std::nullopt);
      REQUIRE(estimate);
      return estimate->settings.max_num_batched_tokens.value;
    };
    CHECK(step_of("a V0 LLM engine (v0.8.5)", "max_seq_len=10000", {0, 8, 5}) == 10000);
    CHECK(step_of("a V1 LLM engine (v0.8.5)", "max_seq_len=10000", {0, 8, 5}) == 2048);
    CHECK(step_of("a V0 LLM engine (v0.8.5)", "max_seq_len=40000", {0, 8, 5}) == 2048);
    CHECK(step_of("an LLM engine (v0.6.5)", "max_seq_len=40000, chunked_prefill_enabled=False",
                  {0, 6, 5}) == 40000);
    CHECK(step_of("an LLM engine (v0.6.5)", "max_seq_len=40000", {0, 6, 5}) == 2048);
  }
}
