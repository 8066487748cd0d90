// Starts that were published long after the readers were written: drafts, windows and states of
// SGLang, reports of trtllm-bench, servers that start twice in one file. The lines are those of the
// sources, shortened; each source stands with its case.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "calibrate/log_lines.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using example::built_in_catalog;
using example::read_lines;
using example::without_gpu;

namespace {

/// The printed count lies between those of the printed pool.
void check_tokens_hold(const EngineLog& log) {
  const domain::Calibration calibration = without_gpu(log);
  REQUIRE(calibration.tokens);
  CHECK(calibration.tokens->printed == *log.start.pool_tokens);
  CHECK(calibration.tokens->least <= *log.start.pool_tokens);
  CHECK(calibration.tokens->most >= *log.start.pool_tokens);
}

const std::string kQwenServer =
    "(EngineCore pid=7) INFO 08-20 10:00:00 [core.py:114] Initializing a V1 LLM engine (v0.25.1) "
    "with config: model='RedHatAI/Qwen3.8-27B-INT4', "
    "speculative_config=SpeculativeConfig(method='mtp', model='RedHatAI/Qwen3.8-27B-INT4', "
    "num_spec_tokens=3), dtype=torch.bfloat16, max_seq_len=262144, tensor_parallel_size=1, "
    "quantization=compressed-tensors, kv_cache_dtype=auto, enable_prefix_caching=False, "
    "enable_chunked_prefill=True\n"
    "(EngineCore pid=7) INFO 08-20 10:01:00 [gpu_model_runner.py:5300] Model loading took 18.5 GiB "
    "memory and 60.1 seconds\n"
    "(EngineCore pid=7) INFO 08-20 10:02:00 [gpu_worker.py:550] Available KV cache memory: 80.17 "
    "GiB\n"
    "(EngineCore pid=7) INFO 08-20 10:02:00 [kv_cache_utils.py:1800] GPU KV cache size: 1,191,213 "
    "tokens\n"
    "(EngineCore pid=7) INFO 08-20 10:03:00 [core.py:300] init engine (profile, create kv cache, "
    "warmup model) took 75.5 s\n";

}  // namespace

TEST_SUITE("calibrate") {
  // https://github.com/jethac/dgx-spark-hijinks, results/sglang_qwen25_1_5b_fp8kv_20260608T0332JST
  // on a GB10, of which its table has 101 GiB free: 0.4 of 112.24 less what 3.26 GiB of weights
  // took
  TEST_CASE("SGLang's pool is its share of what it prints as free before it loads") {
    const EngineLog log = read_lines(
        "[2026-06-08 03:33:02] server_args=ServerArgs(model_path='Qwen/Qwen2.5-1.5B-Instruct', "
        "dtype='bfloat16', kv_cache_dtype='fp8_e4m3', mem_fraction_static=0.4, "
        "disable_piecewise_cuda_graph=False)\n"
        "[2026-06-08 03:33:06] Load weight begin. avail mem=112.24 GB\n"
        "[2026-06-08 03:33:26] Load weight end. elapsed=19.9 s, type=Qwen2ForCausalLM, "
        "avail mem=108.97 GB, mem usage=3.27 GB.\n"
        "[2026-06-08 03:33:28] KV Cache is allocated. dtype: torch.float8_e4m3fn, #tokens: "
        "3113713, K size: 20.79 GB, V size: 20.79 GB\n"
        "[2026-06-08 03:33:40] Capture cuda graph end. Time elapsed: 9.2 s. mem usage=3.68 GB.\n");
    CHECK(log.start.free_gib == 112.24);
    const auto model = calibrate::find_started_model(log.start.model, built_in_catalog());
    REQUIRE(model.has_value());
    domain::VisibleMemory gb10;
    gb10.device = "gb10";
    gb10.vendor = "nvidia";
    gb10.compute_capability = "12.1";
    gb10.bytes = domain::exactly(gib_of(121.69));
    gb10.takeable_bytes = gib_of(101.3);
    const auto calibration =
        calibrate::calibrate(log, {.model = *model,
                                   .engine = *built_in_catalog().engine("sglang"),
                                   .gpu = gb10,
                                   .model_from = {},
                                   .gpu_from = {}});
    REQUIRE(calibration.has_value());
    const auto free = std::ranges::find(calibration->settings, std::string("freeBeforeLoading"),
                                        &domain::CalibratedSetting::name);
    REQUIRE(free != calibration->settings.end());
    CHECK(free->value == "112.24 GiB");
    for (const domain::CalibratedTerm& term : calibration->terms) {
      CAPTURE(term.name);
      CHECK_FALSE(term.is_off);
      if (term.name != "kvPool") continue;
      CHECK(term.predicted.expected.gib() == doctest::Approx(41.58).epsilon(0.005));
      CHECK((term.predicted.high - term.predicted.low) < gib(3));
    }
  }

  // https://github.com/sostrowsk/dgx-spark-local-llm, sglang-int4.log
  TEST_CASE("a draft model that SGLang loads beside its own takes no figure of it") {
    const EngineLog log = read_lines(
        "[2026-08-01 23:37:40] server_args=ServerArgs(model_path='poolside/Laguna-S-2.1-INT4', "
        "mem_fraction_static=0.85, tp_size=1, swa_full_tokens_ratio=0.8, "
        "speculative_algorithm='DFLASH', "
        "speculative_draft_model_path='poolside/Laguna-S-2.1-DFlash-INT4', "
        "disable_piecewise_cuda_graph=False)\n"
        "[2026-08-01 23:37:50] Load weight begin. avail mem=115.36 GB\n"
        "[2026-08-01 23:39:39] Load weight end. elapsed=109.33 s, type=LagunaForCausalLM, "
        "quant=compressed-tensors, avail mem=47.80 GB, mem usage=67.56 GB.\n"
        "[2026-08-01 23:39:43] Load weight begin. avail mem=47.83 GB\n"
        "[2026-08-01 23:39:55] Load weight end. elapsed=12.25 s, type=DFlashLagunaForCausalLM, "
        "avail mem=46.25 GB, mem usage=1.58 GB.\n"
        "[2026-08-01 23:40:01] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 148717, K "
        "size: 10.21 GB, V size: 10.21 GB\n"
        "[2026-08-01 23:40:01] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 185897, K "
        "size: 4.25 GB, V size: 4.25 GB\n"
        "[2026-08-01 23:40:01] Memory pool end. avail mem=17.73 GB\n"
        "[2026-08-01 23:40:01] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 185897, K "
        "size: 2.13 GB, V size: 2.13 GB\n"
        "[2026-08-01 23:40:01] Memory pool end. avail mem=13.35 GB\n");
    CHECK(log.start.weights_gib == 67.56);
    CHECK(log.ranks.front().free_gib == 115.36);
    CHECK(log.start.pool_gib == doctest::Approx(28.92));
    CHECK(log.start.pool_tokens == 185897);
    CHECK(log.has_drafts);
    REQUIRE(log.start.draft_model);
    CHECK(log.start.draft_model->name.value == "poolside/Laguna-S-2.1-DFlash-INT4");
  }

  // vLLM prints 7.5552 GiB for Qwen3-4B and 1.1201 for Qwen3-0.6B in starts of their own.
  TEST_CASE("a draft model that a log of vLLM names is counted where the catalog has it") {
    const auto started_with = [](const std::string& proposer) {
      return read_lines(
          "INFO 11-20 10:00:00 [core.py:93] Initializing a V1 LLM engine (v0.11.2) with config: "
          "model='Qwen/Qwen3-4B', speculative_config=SpeculativeConfig(" +
          proposer +
          "), dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1\n"
          "INFO 11-20 10:00:09 [gpu_model_runner.py:2653] Model loading took 8.6753 GiB memory "
          "and 4 seconds\n");
    };
    EngineLog log =
        started_with("method='draft_model', model='Qwen/Qwen3-0.6B', num_spec_tokens=4");
    REQUIRE(log.start.draft_model);
    CHECK(log.start.draft_tokens == 4);
    CHECK(has_unknown_drafts(log));
    log.start.draft_model->model = std::make_shared<const domain::Model>(
        *example::built_in_catalog().find(log.start.draft_model->name.value));
    CHECK_FALSE(has_unknown_drafts(log));
    CHECK(without_gpu(log).agrees());
    CHECK_FALSE(started_with("method='ngram', model='ngram', num_spec_tokens=4").start.draft_model);
    CHECK_FALSE(
        started_with("method='mtp', model='Qwen/Qwen3-4B', num_spec_tokens=1").start.draft_model);
  }

  // https://github.com/mattbucci/2x-3090-GA102-300-A1-sglang-inference,
  // benchmarks/sprint-2026-06-kv-decode/A1-gemma4-12b/ladder-ratio-0.25.json
  TEST_CASE("SGLang's share of tokens for windows is the one that the start was given") {
    const EngineLog log = read_lines(
        "[2026-06-10 01:53:42] server_args=ServerArgs(model_path='google/gemma-4-12B-it', "
        "mem_fraction_static=0.85, tp_size=2, context_length=262144, kv_cache_dtype='auto', "
        "swa_full_tokens_ratio=0.25, disable_piecewise_cuda_graph=True)\n"
        "[2026-06-10 01:53:50 TP0] KV Cache is allocated. #tokens: 65632, K size: 5.01 GB, V size: "
        "5.01 GB\n"
        "[2026-06-10 01:53:50 TP0] KV Cache is allocated. #tokens: 262528, K size: 2.00 GB, V "
        "size: 2.00 GB\n"
        "[2026-06-10 01:53:50 TP0] Memory pool end. avail mem=3.43 GB\n"
        "[2026-06-10 01:53:52 TP0] max_total_num_tokens=262528, chunked_prefill_size=4096, "
        "max_running_requests=1, context_len=262144, available_gpu_mem=3.42 GB\n");
    CHECK(log.start.window_share == 0.25);
    CHECK(log.start.pool_gib == doctest::Approx(14.02));
    check_tokens_hold(log);
  }

  // https://github.com/shun8686/for_debug, tc/test_vlm_gdn_warmup.log
  TEST_CASE("states that SGLang keeps beside its pool are read, and the pool's tokens follow") {
    const EngineLog log = read_lines(
        "[2026-06-09 03:34:36] server_args=ServerArgs(model_path='Qwen/Qwen3.5-9B', "
        "mem_fraction_static=0.8, tp_size=2, mamba_full_memory_ratio=0.9, "
        "disable_piecewise_cuda_graph=True)\n"
        "[2026-06-09 03:35:06 TP0] Load weight end. elapsed=2.83 s, "
        "type=Qwen3_5ForConditionalGeneration, avail mem=51.46 GB, mem usage=8.96 GB.\n"
        "[2026-06-09 03:35:11 TP0] Mamba Cache is allocated. max_mamba_cache_size: 1521, "
        "conv_state size: 0.84GB, ssm_state size: 17.84GB\n"
        "[2026-06-09 03:35:13 TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 1359146, "
        "K size: 10.37 GB, V size: 10.37 GB\n"
        "[2026-06-09 03:35:13 TP0] Memory pool end. avail mem=12.16 GB\n");
    CHECK(log.start.state_gib == doctest::Approx(18.68));
    CHECK(log.start.pool_gib == doctest::Approx(20.74));
    check_tokens_hold(log);
  }

  // https://github.com/jethac/dgx-spark-hijinks, caches of FP4 on a GB10 by two builds
  TEST_CASE("sizes of SGLang's FP4 cache are read with the scales, which one build leaves out") {
    const std::string before =
        "[2026-06-07 18:49:14] server_args=ServerArgs(model_path='Qwen/Qwen2.5-1.5B-Instruct', "
        "dtype='bfloat16', kv_cache_dtype='fp4_e2m1', mem_fraction_static=0.4, "
        "disable_piecewise_cuda_graph=False)\n"
        "[2026-06-07 18:49:42] Load weight end. elapsed=21.45 s, type=Qwen2ForCausalLM, "
        "avail mem=109.00 GB, mem usage=3.22 GB.\n";
    const EngineLog without = read_lines(before +
                                         "[2026-06-07 18:49:44] KV Cache is allocated. #tokens: "
                                         "5539718, K size: 18.49 GB, V size: 18.49 GB\n");
    CHECK(without.start.pool_gib == doctest::Approx(36.98 * 9 / 8));
    check_tokens_hold(without);
    const EngineLog with = read_lines(
        before +
        "[2026-06-08 04:18:18] KV Cache is allocated. dtype: torch.float4_e2m1fn_x2, #tokens: "
        "5519481, K size: 20.73 GB, V size: 20.73 GB\n");
    CHECK(with.start.pool_gib == doctest::Approx(41.46));
    check_tokens_hold(with);
  }

  // https://github.com/jerryzsj/my-deepseek-r1, README.md
  TEST_CASE("releases of SGLang that print sizes without a count give both of them") {
    const EngineLog log = read_lines(
        "2025-02-04 21:21:33 [2025-02-04 05:21:33] "
        "server_args=ServerArgs(model_path='deepseek-ai/DeepSeek-R1-Distill-Qwen-7B', "
        "mem_fraction_static=0.88, tp_size=1, cuda_graph_max_bs=8)\n"
        "[2025-02-04 05:21:40 TP0] Load weight begin. avail mem=22.76 GB\n"
        "[2025-02-04 05:29:17 TP0] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, "
        "avail mem=8.37 GB\n"
        "[2025-02-04 05:29:17 TP0] KV Cache is allocated. K size: 2.82 GB, V size: 2.82 GB.\n"
        "[2025-02-04 05:29:20 TP0] max_total_num_tokens=105531, chunked_prefill_size=2048, "
        "max_running_requests=2049, context_len=131072\n");
    CHECK(log.start.weights_gib == doctest::Approx(14.39));
    CHECK(log.start.pool_gib == doctest::Approx(5.64));
    check_tokens_hold(log);
  }

  // The reference log of sgl-project/sglang's skill "clean-startup-log".
  TEST_CASE("graphs of prefill chunks count with those of single steps") {
    const EngineLog log = read_lines(
        "[2026-04-27 02:36:04] Load weight begin. avail mem=177.57 GB\n"
        "[2026-04-27 02:36:04] Found local HF snapshot for Qwen/Qwen3-8B at ...; skipping "
        "download.\n"
        "[2026-04-27 02:36:06] Load weight end. elapsed=1.97 s, type=Qwen3ForCausalLM, avail "
        "mem=162.30 GB, mem usage=15.28 GB.\n"
        "[2026-04-27 02:36:09] Capture cuda graph end. Time elapsed: 3.74 s. mem usage=0.60 GB. "
        "avail mem=23.54 GB.\n"
        "[2026-04-27 02:36:27] Capture piecewise CUDA graph end. Time elapsed: 17.62 s. mem "
        "usage=2.32 GB. avail mem=21.22 GB.\n");
    CHECK(log.start.model == "Qwen/Qwen3-8B");
    CHECK(log.start.graphs_gib == doctest::Approx(2.92));
  }

  // https://github.com/shaamil101-etched/trtllm-benchmarks, results/result_128_128_30000.txt
  TEST_CASE("the report of trtllm-bench says what its engine was built for") {
    const EngineLog log = read_lines(
        "[TensorRT-LLM] TensorRT-LLM version: 0.16.0\n"
        "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 52.08 GiB for max tokens in paged KV "
        "cache (2730752).\n"
        "Model:\t\t\tmeta-llama/Llama-3.1-70B-Instruct\n"
        "Dtype:\t\t\tbfloat16\n"
        "KV Cache Dtype:\t\tFP8\n"
        "Quantization:\t\tFP8\n"
        "TP Size:\t\t8\n"
        "PP Size:\t\t1\n"
        "Max Runtime Batch Size:\t2048\n"
        "Max Runtime Tokens:\t8192\n"
        "KV Memory Percentage:\t90.00%\n");
    CHECK(log.start.model == "meta-llama/Llama-3.1-70B-Instruct");
    CHECK(log.start.quantization == "fp8");
    CHECK(log.start.kv_cache_type == "fp8");
    CHECK(log.start.tensor_parallel == 8);
    CHECK(log.start.max_num_seqs == 2048);
    CHECK(log.start.max_num_batched_tokens == 8192);
    CHECK(log.start.utilization == 0.9);
    check_tokens_hold(log);
  }

  // https://github.com/SRO-SA/trtllm-qwen-benchmark, server.log
  TEST_CASE("a context one token above the model's is that of a start that ran") {
    const EngineLog log = read_lines(
        "[TensorRT-LLM] TensorRT LLM version: 1.1.0\n"
        "model='TinyLlama/TinyLlama-1.1B-Chat-v1.0' tokenizer=None tensor_parallel_size=1 "
        "dtype='auto' pipeline_parallel_size=1\n"
        "[05/13/2026-21:26:27] [TRT-LLM] [I] max_seq_len=2049, max_num_requests=2048, "
        "max_num_tokens=8192, max_batch_size=2048\n"
        "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 39.26 GiB for max tokens in paged KV "
        "cache (1871136).\n");
    CHECK(log.start.engine_version == "1.1.0");
    CHECK(log.start.model == "TinyLlama/TinyLlama-1.1B-Chat-v1.0");
    CHECK(log.start.context_tokens == 2049);
    check_tokens_hold(log);
  }

  // https://github.com/sgl-project/sglang/issues/1386, eight GPUs by 0.3.0: ranks are named behind
  // the time alone.
  TEST_CASE("SGLang's ranks are told apart where no date stands before them") {
    const EngineLog log = read_lines(
        "[14:39:21 TP0] Load weight begin. avail mem=76.73 GB\n"
        "[14:39:21 TP7] Load weight begin. avail mem=77.10 GB\n"
        "[14:39:31 TP0] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, avail "
        "mem=59.73 GB\n"
        "[14:39:31 TP7] Load weight end. type=Qwen2ForCausalLM, dtype=torch.bfloat16, avail "
        "mem=60.11 GB\n");
    REQUIRE(log.ranks.size() == 2);
    CHECK(log.ranks.front().weights_gib == doctest::Approx(17.00));
    CHECK(log.ranks.back().weights_gib == doctest::Approx(16.99));
  }

  // https://github.com/sostrowsk/dgx-spark-local-llm, qwen38-int4.log
  TEST_CASE("vLLM's own prediction layers and its caching of prefixes decide the count") {
    const EngineLog log = read_lines(kQwenServer);
    CHECK(log.start.draft_tokens == 3);
    CHECK(log.start.prefix_caching == false);
    // Blocks of 800 tokens: 328 for the longest request, and one and three drafts in each of three
    // groups of states, so that 1,545 blocks hold 4.54 requests.
    check_tokens_hold(log);
  }

  // https://github.com/apollo-mg/Project-Apollo, vllm_results.log, on an AMD GPU.
  TEST_CASE("weights in a format that the name told are explained by it") {
    const domain::Calibration calibration = without_gpu(read_lines(
        "(EngineCore_DP0 pid=370) INFO 03-01 16:04:55 [core.py:95] Initializing a V1 LLM "
        "engine (v0.14.0rc1) with config: "
        "model='casperhansen/deepseek-r1-distill-qwen-14b-awq', speculative_config=None, "
        "dtype=torch.float16, max_seq_len=1024, tensor_parallel_size=1, "
        "quantization=awq, kv_cache_dtype=auto\n"
        "(EngineCore_DP0 pid=370) INFO 03-01 16:05:03 [gpu_model_runner.py:3716] Model "
        "loading took 9.4922 GiB memory and 5.972009 seconds\n"));
    REQUIRE_FALSE(calibration.terms.empty());
    const domain::CalibratedTerm& weights = calibration.terms.front();
    REQUIRE(weights.is_off);
    REQUIRE_FALSE(weights.causes.empty());
    CHECK(weights.causes.front().contains("because its name ends in '-awq'"));
    CHECK(weights.causes.front().contains("config.json"));
  }

  TEST_CASE("of a vLLM server that starts again in one file, the last start stands") {
    std::string again = kQwenServer;
    again.replace(again.find("80.17"), 5, "90.17");
    again.replace(again.find("took 18.5"), 9, "took 17.5");
    const EngineLog log = read_lines(again + kQwenServer);
    CHECK(log.ranks.size() == 1);
    CHECK(log.start.pool_gib == 80.17);
    CHECK(log.start.weights_gib == 18.5);
    CHECK(log.start.pool_tokens == 1191213);
    const std::string dump =
        "ERROR 08-20 12:00:00 [dump_input.py:72] Dumping input data for V1 LLM engine (v0.25.1) "
        "with config: model='RedHatAI/Qwen3.8-27B-INT4', dtype=torch.bfloat16\n"
        "INFO 08-20 12:00:00 [gpu_model_runner.py:5300] Graph capturing finished in 5 secs, took "
        "0.49 GiB\n";
    CHECK(read_lines(kQwenServer + dump).start.weights_gib == 18.5);
    // A third one that was cut off says nothing.
    const std::string cut =
        "INFO 08-20 11:00:00 [api_server.py:1] vLLM API server version 0.25.1\n";
    CHECK(read_lines(again + kQwenServer + cut).start.pool_gib == 80.17);
  }

  // https://github.com/Panteaforoutan/151B_SP26_Competition_, vllm_error.log
  TEST_CASE("slots for LoRA adapters are among the weights that vLLM prints") {
    const EngineLog log = read_lines(
        "INFO 05-20 10:00:00 [utils.py:233] non-default args: {'max_model_len': 4096, "
        "'enable_lora': True, 'model': 'Qwen/Qwen3-4B-Thinking-2507'}\n"
        "INFO 05-20 10:00:00 [core.py:105] Initializing a V1 LLM engine (v0.19.1) with config: "
        "model='Qwen/Qwen3-4B-Thinking-2507', dtype=torch.bfloat16, max_seq_len=4096, "
        "tensor_parallel_size=1, kv_cache_dtype=auto\n"
        "INFO 05-20 10:01:00 [gpu_model_runner.py:4800] Model loading took 7.68 GiB memory and 9.1 "
        "seconds\n");
    CHECK(log.start.has_adapters);
    const domain::Calibration calibration = without_gpu(log);
    REQUIRE_FALSE(calibration.terms.empty());
    CHECK(calibration.terms.front().name == "weights");
    CHECK_FALSE(calibration.terms.front().is_off);
  }

  // https://github.com/HienHoang3011/translate-pipeline, vllm_server.log
  TEST_CASE("a tower for sound is loaded with the one for images") {
    const EngineLog log = read_lines(
        "(EngineCore pid=9) INFO 04-20 10:00:00 [core.py:105] Initializing a V1 LLM engine "
        "(v0.19.2rc1.dev206+g95995bbef) with config: model='google/gemma-4-E4B-it', "
        "dtype=torch.bfloat16, max_seq_len=16384, tensor_parallel_size=1, kv_cache_dtype=auto\n"
        "(EngineCore pid=9) INFO 04-20 10:01:00 [gpu_model_runner.py:4879] Model loading took "
        "15.16 GiB memory and 31.6 seconds\n");
    const domain::Calibration calibration = without_gpu(log);
    REQUIRE_FALSE(calibration.terms.empty());
    CHECK(calibration.terms.front().name == "weights");
    CHECK_FALSE(calibration.terms.front().is_off);
  }

  // A start on LFM2-700M by SGLang 0.5.6.post2 with a radix cache, quoted in a public pull request.
  TEST_CASE("states of short convolutions stand beside SGLang's pool, too") {
    const EngineLog log = read_lines(
        "[2025-12-29 18:33:03 TP0] server_args=ServerArgs(model_path='LiquidAI/LFM2-700M', "
        "tp_size=1, mamba_full_memory_ratio=0.9)\n"
        "[2025-12-29 18:33:03 TP0] Load weight end. type=Lfm2ForCausalLM, dtype=torch.bfloat16, "
        "avail mem=13.81 GB, mem usage=1.52 GB.\n"
        "[2025-12-29 18:33:03 TP0] Mamba Cache is allocated. max_mamba_cache_size: 85292, "
        "conv_state size: 4.88GB, ssm_state size: 0.00GB \n"
        "[2025-12-29 18:33:03 TP0] KV Cache is allocated. #tokens: 473854, K size: 2.71 GB, V "
        "size: 2.71 GB\n");
    check_tokens_hold(log);
  }
}
