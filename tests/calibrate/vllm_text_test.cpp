// What a text holds of vLLM's starts: the whole controlled series, excerpts, starts that fail,
// several in one text, and what is made of settings that it leaves open.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/remarks.hpp"
#include "document/text_format.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using calibrate::read_engine_log;
using example::calibrated;
using example::calibrated_term;
using example::recorded_log;

TEST_SUITE("calibrate") {
  // The 0.19 series, log by log: cold caches, one to four GPUs, plain figures of every term.
  TEST_CASE("every log of the controlled series is inside on every line") {
    const char* folder = std::getenv("GPUSHAPE_SHARED");  // NOLINT(concurrency-mt-unsafe)
    if (folder == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED names no folder with start-up logs");
      return;
    }
    const std::filesystem::path logs =
        std::filesystem::path(folder) / "data/ground-truth/vllm-0.19-logs";
    REQUIRE(std::filesystem::is_directory(logs));
    int read_logs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(logs)) {
      const std::string path = entry.path().string();
      CAPTURE(path);
      const Result<std::string> text = document::read_log_file(path);
      REQUIRE(text.has_value());
      const Result<EngineLog> log = read_engine_log(*text, path);
      REQUIRE(log.has_value());
      const domain::Calibration calibration = calibrated(*log, "h100-sxm-80");
      CHECK(calibration.agrees());
      REQUIRE(calibration.tokens);
      CHECK(calibration.tokens->least <= calibration.tokens->printed);
      CHECK(calibration.tokens->printed <= calibration.tokens->most);
      ++read_logs;
    }
    CHECK(read_logs == 37);
  }

  // Laguna-S-2.1-INT4 by 0.25.1 prints 69.34 GiB with a DFlash draft that no catalog has: 67.08 are
  // the model's (https://github.com/sostrowsk/dgx-spark-local-llm).
  TEST_CASE("what a draft that nobody knows takes is not put down to the model") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.has_drafts = true;
    log.start.weights_gib = *log.start.weights_gib + 2.26;
    log.start.pool_tokens = *log.start.pool_tokens / 2;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    CHECK(std::ranges::none_of(calibration.terms, [](const domain::CalibratedTerm& term) {
      return term.name == "weights";
    }));
    CHECK_FALSE(calibration.tokens);
    CHECK(std::ranges::any_of(
        calibration.notes, [](const std::string& note) { return note.contains("not modelled"); }));
  }

  // Kimi-K2.6 by 0.15.1 on two stages of eight: 29.03 GiB for 30 layers and 29.85 for 31 hold no
  // fewer than 897,536 tokens each, 1,152 bytes a layer.
  TEST_CASE("the count of a pipeline may be that of the larger pool") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.pipeline_parallel = 2;
    log.ranks.push_back(log.ranks.front());
    log.ranks.back().pool_gib = *log.start.pool_gib * 1.02;
    // Of the smaller pool with all of 16 layers; the larger holds a fiftieth more.
    const domain::Calibration smaller = calibrated(log, "h100-sxm-80");
    REQUIRE(smaller.tokens);
    const std::int64_t least = smaller.tokens->least;
    CHECK(static_cast<double>(smaller.tokens->most) ==
          doctest::Approx(1.02 * static_cast<double>(least)).epsilon(0.001));
  }

  // CodeLlama-7b by 0.19.0 on H100 compiled its graph (4.21 s) and peaked at 0.77 GiB, its forward
  // pass alone: 8192 tokens x (3 x 11008 + 4 x 4096) x 2 bytes = 0.754 GiB and rounding; its table
  // of 32,016 x 4,096 x 2 bytes is 0.24. With Qwen3-8B's of 151,936 x 4,096 x 2 bytes, 1.16 GiB, a
  // step of 2,048 tokens peaks at no less while it compiles, at 2,048 x (3 x 12,288 + 4 x 4,096) x
  // 2 bytes, 0.20 GiB, and the workspace of matrix products later.
  TEST_CASE("a start that compiles takes a copy of the table that tokens are looked up in") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.weights_gib.reset();
    log.start.pool_gib.reset();
    const auto agrees = [&](double peak) {
      log.start.activation_gib = peak;
      const auto& range = calibrated_term(calibrated(log, "h100-sxm-80"), "activation").predicted;
      return range.low.gib() <= peak + 0.005 && peak - 0.005 <= range.high.gib();
    };
    log.start.model = "codellama/CodeLlama-7b-hf";
    log.start.compiles = true;
    CHECK(agrees(0.77));
    CHECK_FALSE(agrees(2.0));
    log.start.model = "Qwen/Qwen3-8B";
    log.start.max_num_seqs = 16;
    log.start.max_num_batched_tokens = 2048;
    CHECK(agrees(1.18));
    CHECK_FALSE(agrees(0.5));
    log.start.compiles = false;
    CHECK_FALSE(agrees(1.18));
    CHECK(agrees(0.24));
  }

  // Four ranks of which the first is printed, from the middle of a start of 0.18; figures of
  // Qwen2.5-72B on four L40S.
  TEST_CASE("a text that begins behind the settings tells model and ranks by what loads them") {
    const std::string text =
        "(Worker pid=374) INFO 04-16 11:16:31 [parallel_state.py:1716] rank 0 in world size 4 is "
        "assigned as DP rank 0, PP rank 0, PCP rank 0, TP rank 0, EP rank N/A, EPLB rank N/A\n"
        "(Worker_TP0 pid=374) INFO 04-16 11:16:32 [gpu_model_runner.py:4735] Starting to load "
        "model "
        "Qwen/Qwen2.5-72B-Instruct...\n"
        "(Worker_TP0 pid=374) INFO 04-16 11:17:54 [gpu_model_runner.py:4820] Model loading took "
        "33.98 GiB memory and 81.566250 seconds\n"
        "(Worker_TP0 pid=374) INFO 04-16 11:18:41 [gpu_worker.py:436] Available KV cache memory: "
        "5.11 GiB\n"
        "(EngineCore pid=271) INFO 04-16 11:18:41 [kv_cache_utils.py:1319] GPU KV cache size: "
        "67,024 tokens\n";
    const Result<EngineLog> read_text = read_engine_log(text, "excerpt.log");
    REQUIRE(read_text.has_value());
    EngineLog log = *read_text;
    CHECK(log.is_excerpt);
    CHECK(log.start.model == "Qwen/Qwen2.5-72B-Instruct");
    CHECK(log.start.tensor_parallel == 4);
    CHECK(log.start.engine_version.empty());
    log.start.engine_version = "0.18.0";
    const domain::Calibration calibration = calibrated(log, "l40s");
    CHECK(calibrated_term(calibration, "weights").is_off == false);
    REQUIRE(calibration.tokens);
    CHECK(calibration.tokens->least <= 67024);  // 5.11 GiB / (80 layers x 2 x 2 x 128 x 2 bytes)
    CHECK(67024 <= calibration.tokens->most);
    CHECK(std::ranges::any_of(calibration.asks, [](const std::string& ask) {
      return ask.contains("--kv-cache-dtype") && !ask.contains("--tp");
    }));
    CHECK(std::ranges::any_of(calibration.settings, [](const domain::CalibratedSetting& setting) {
      return setting.name == "pipelineParallel" && setting.from == "default";
    }));
  }

  // LLaVA-1.5-13B-AWQ in its authors' own format by 0.10.2 on 16 GB: 6.8147 GiB, without the tower.
  TEST_CASE("a checkpoint that is loaded by the class of its text has no towers") {
    const std::string text =
        "(APIServer pid=1) INFO 10-01 22:32:36 [__init__.py:742] Resolved architecture: "
        "LlamaForCausalLM\n"
        "(EngineCore_DP0 pid=2) INFO 10-01 22:32:40 [core.py:76] Initializing a V1 LLM engine "
        "(v0.10.2) with config: model='llava-1.5-13b-awq', speculative_config=None, "
        "max_seq_len=2048, tensor_parallel_size=1, pipeline_parallel_size=1, quantization=awq, "
        "enforce_eager=True, kv_cache_dtype=auto\n"
        "(EngineCore_DP0 pid=2) INFO 10-01 22:32:44 [gpu_model_runner.py:2392] Model loading took "
        "6.8147 GiB and 2.814427 seconds\n";
    const Result<EngineLog> log = read_engine_log(text, "llava.log");
    REQUIRE(log.has_value());
    CHECK(log->start.architecture == "LlamaForCausalLM");
    const auto weights = calibrated_term(calibrated(*log, "rtx-4090"), "weights");
    CHECK_FALSE(weights.is_off);
    // The tower of CLIP, 304 M parameters of 16 bits, is 0.57 GiB.
    CHECK(weights.predicted.expected.gib() == doctest::Approx(6.81).epsilon(0.01));
  }

  // gemma-4-26B-A4B FP8 by 0.29.0 on an L40S: 40.84 GiB of budget - 25.64 consumed - 1.76 of peak
  // are its pool of 13.44, and 0.47 of the peak what a first capture took; 0.29 are the graphs that
  // stay.
  TEST_CASE("graphs that are captured before the pool is sized count in the printed peak") {
    const std::string text =
        "INFO 10-01 12:00:00 [core.py:121] Initializing a V1 LLM engine (v0.29.0) with config: "
        "model='RedHatAI/gemma-4-26B-A4B-it-FP8-dynamic', speculative_config=None, "
        "max_seq_len=4096, tensor_parallel_size=1, enforce_eager=False, kv_cache_dtype=fp8\n"
        "INFO 10-01 12:00:01 [model_runner.py:329] Model loading took 24.72 GiB and 9 seconds\n"
        "INFO 10-01 12:00:02 [model_runner.py:791] Graph capturing finished in 4 secs, took 0.47 "
        "GiB\n"
        "INFO 10-01 12:00:03 [gpu_worker.py:692] Available KV cache memory: 13.44 GiB\n"
        "INFO 10-01 12:00:04 [model_runner.py:791] Graph capturing finished in 4 secs, took 0.29 "
        "GiB\n"
        "INFO 10-01 12:00:05 [gpu_worker.py:955] Free memory on device (43.97/44.39 GiB) on "
        "startup. Desired GPU memory utilization is (0.92, 40.84 GiB). Actual usage is 25.64 GiB "
        "for consumed memory (weights + non-torch), 1.76 GiB for peak activation, and 0.29 GiB for "
        "CUDAGraph memory.\n";
    const Result<EngineLog> log = read_engine_log(text, "second-runner.log");
    REQUIRE(log.has_value());
    CHECK(log->graph_estimate_gib.value_or(0) == doctest::Approx(0.47));
    CHECK(log->start.graphs_gib.value_or(0) == doctest::Approx(0.29));
    CHECK(log->start.activation_gib.value_or(0) == doctest::Approx(1.29));
    CHECK(log->start.non_torch_gib.value_or(0) == doctest::Approx(0.92));
  }

  TEST_CASE("a text of the first engine without its settings is one of vLLM") {
    const std::string text =
        "INFO 12-22 10:55:31 model_runner.py:1092] Starting to load model microsoft/phi-4...\n"
        "INFO 12-22 10:55:34 model_runner.py:1097] Loading model weights took 27.3874 GB\n"
        "INFO 12-22 10:55:34 worker.py:241] Memory profiling results: duration=0.69 seconds, "
        "total_gpu_memory=79.25GiB, initial_memory_usage=0.50GiB, peak_torch_memory=28.33GiB, "
        "memory_usage_post_profile=0.60GiB, non_torch_memory=0.26GiB, kv_cache_size=11.00GiB, "
        "gpu_memory_utilization=0.50.\n";
    const Result<EngineLog> log = read_engine_log(text, "middle.log");
    REQUIRE(log.has_value());
    CHECK(log->start.model == "microsoft/phi-4");
    CHECK(log->start.utilization == 0.5);
    REQUIRE(log->start.activation_gib);
    CHECK(*log->start.activation_gib == doctest::Approx(28.33 - 27.3874));
    CHECK(log->start.pool_gib == 11.0);
  }

  TEST_CASE("a start that found too little free memory says who has the rest") {
    const std::string text = example::log_text("examples/logs/vllm-0.19-llama-8b.log");
    const std::size_t loading = text.find("Model loading took");
    REQUIRE(loading != std::string::npos);
    const std::string refused =
        text.substr(0, text.rfind('\n', loading) + 1) +
        "(EngineCore pid=243) ERROR 04-22 00:46:40 [v1/engine/core.py:900] ValueError: Free memory "
        "on device cuda:0 (60.12/79.19 GiB) on startup is less than desired GPU memory utilization "
        "(0.95, 75.23 GiB). Decrease GPU memory utilization.\n";
    const Result<EngineLog> log = read_engine_log(refused, "refused.log");
    REQUIRE(log.has_value());
    CHECK(log->failure.contains("60.12 of 79.19 GiB were free"));
    CHECK(log->failure.contains("19.1 GiB"));  // 79.19 - 60.12 = 19.07
    const domain::Calibration calibration = calibrated(*log, "h100-sxm-80");
    CHECK_FALSE(calibration.agrees());
    CHECK(calibration.verdict.contains("did not start"));
  }

  TEST_CASE("a start whose pool is below zero did not start, whatever the other terms say") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.pool_gib = -2.31;
    log.start.pool_tokens.reset();
    log.failure = "no memory was left for the KV cache";
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    CHECK(calibrated_term(calibration, "kvPool").is_off);
    CHECK_FALSE(calibration.agrees());
    CHECK(calibration.verdict.contains("no memory was left"));
  }

  // A T4 with 7.9 % of its 14.74 GiB for a model of 1.43 GiB: the prediction has no pool, either.
  TEST_CASE("a pool below zero is as predicted where nothing is left, and holds no tokens") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.utilization = 0.2;  // of 79.19 GiB less than the weights
    log.start.pool_gib = -2.31;
    log.start.pool_tokens = 0;
    log.failure = "no memory was left for the KV cache";
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    CHECK_FALSE(calibrated_term(calibration, "kvPool").is_off);
    CHECK_FALSE(calibration.tokens.has_value());
    CHECK(calibration.verdict.contains("no memory was left"));
  }

  TEST_CASE("a process that failed is no start, and a request that failed is one") {
    const std::string whole = example::log_text("examples/logs/vllm-0.19-llama-8b.log");
    const std::string fault =
        "\nRuntimeError: Engine core initialization failed. See root cause above. Failed core "
        "proc(s): {}\n";
    const Result<EngineLog> failed = read_engine_log(whole + fault, "failed.log");
    REQUIRE(failed.has_value());
    CHECK(failed->failure.contains("one of its processes failed"));
    CHECK_FALSE(calibrated(*failed, "h100-sxm-80").agrees());
    const Result<EngineLog> served = read_engine_log(
        whole +
            "\nINFO:     Application startup complete.\ntorch.OutOfMemoryError: CUDA out of "
            "memory\n",
        "served.log");
    REQUIRE(served.has_value());
    CHECK(served->failure.empty());
    CHECK(calibrated(*served, "h100-sxm-80").agrees());
  }

  TEST_CASE("a log tells whether its graphs were compiled, came from a cache, or both") {
    const std::string whole = example::log_text("examples/logs/vllm-0.19-llama-8b.log");
    const std::string loaded =
        "(EngineCore pid=7) INFO 08-05 12:13:34 [backends.py:292] Directly load the compiled "
        "graph(s) for compile range (1, 2048) from the cache, took 1.635 s\n";
    const std::string made =
        "(EngineCore pid=7) INFO 08-05 12:13:34 [backends.py:393] Compiling a graph for compile "
        "range (1, 2048) takes 88.38 s\n";
    const auto compiles = [](const std::string& text) {
      const Result<EngineLog> log = read_engine_log(text, "start.log");
      REQUIRE(log.has_value());
      return log->start.compiles;
    };
    std::string silent = whole;
    for (const char* word : {"Compiling a graph", "Directly load"}) {
      for (std::size_t at = silent.find(word); at != std::string::npos; at = silent.find(word))
        silent.replace(at, std::string_view(word).size(), "-");
    }
    CHECK_FALSE(compiles(silent).has_value());
    CHECK(compiles(silent + made) == true);
    CHECK(compiles(silent + loaded) == false);
    CHECK_FALSE(compiles(silent + made + loaded).has_value());
  }

  // Unsloth's notebooks keep the cells of earlier runs, with shares of their own.
  TEST_CASE("what another run says of its share does not change a start that is read") {
    const std::string first = example::log_text("examples/logs/vllm-0.19-llama-8b.log");
    const std::string unsloth =
        "Unsloth: vLLM loading meta-llama/Llama-3.1-8B-Instruct with actual GPU utilization = "
        "17.34%\n";
    const Result<EngineLog> log = read_engine_log(first + "\n" + unsloth + first, "cells.log");
    REQUIRE(log.has_value());
    CHECK(log->earlier_models.size() == 1);
    CHECK(log->start.utilization == doctest::Approx(0.95));
  }

  TEST_CASE("of several starts in one text the last is read, and the others are said") {
    const std::string first =
        example::log_text("examples/logs/vllm-0.19-llama-8b.log") +
        "\n(EngineCore pid=201) INFO 03-02 09:15:14 [v1/engine/core.py:283] init engine (profile, "
        "create kv cache, warmup model) took 34.20 seconds\n";
    const Result<EngineLog> log = read_engine_log(first + first, "twice.log");
    REQUIRE(log.has_value());
    REQUIRE(log->earlier_models.size() == 1);
    CHECK(log->earlier_models.front() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(log->ranks.size() == 1);
  }

  TEST_CASE("starts of one model in one text are said once, with their number") {
    calibrate::EngineLog log;
    log.earlier_models = {"Qwen/Qwen3-4B", "Qwen/Qwen3-8B", "Qwen/Qwen3-4B"};
    domain::Calibration calibration;
    calibrate::note_log(log, calibration);
    REQUIRE(calibration.notes.size() == 1);
    CHECK(calibration.notes.front() ==
          "the text holds 4 starts and the last one is read; before it: Qwen/Qwen3-4B (2 times), "
          "Qwen/Qwen3-8B");
  }

  // https://github.com/zhenlan0426/MathComp, beam-local.ipynb: the first generation says that it is
  // up by its blocks alone. A 7B of 30 layers, 32 heads of 128: 480 KiB a token in 16 bits.
  TEST_CASE("engines that a notebook makes one after the other are told apart by their blocks") {
    const auto start = [](const std::string& model, const std::string& weights,
                          const std::string& blocks) {
      return "INFO llm_engine.py:74] Initializing an LLM engine (v0.4.0.post1) with config: "
             "model='" +
             model + "', dtype=torch.bfloat16, max_seq_len=2048, kv_cache_dtype=auto\n" +
             "INFO model_runner.py:104] Loading model weights took " + weights + " GB\n" +
             "INFO gpu_executor.py:94] # GPU blocks: " + blocks + ", # CPU blocks: 546\n";
    };
    const Result<EngineLog> log =
        read_engine_log(start("Qwen/CodeQwen1.5-7B", "13.5516", "18725") +
                            start("deepseek-ai/deepseek-math-7b-rl", "12.8716", "2376"),
                        "cells.log");
    REQUIRE(log.has_value());
    CHECK(log->start.model == "deepseek-ai/deepseek-math-7b-rl");
    CHECK(log->start.weights_gib == doctest::Approx(12.8716));
    CHECK(log->start.pool_blocks == 2376);
    CHECK(log->earlier_models == std::vector<std::string>{"Qwen/CodeQwen1.5-7B"});
  }

  TEST_CASE("lines of two engines in one text are refused with what to give") {
    const std::string text =
        "a | INFO 04-22 00:46:40 [core.py:101] Initializing a V1 LLM engine (v0.19.0) with config: "
        "model='Qwen/Qwen3-8B', tensor_parallel_size=1, kv_cache_dtype=auto\n"
        "b | INFO 04-22 00:46:41 [core.py:101] Initializing a V1 LLM engine (v0.19.0) with config: "
        "model='Qwen/Qwen3-4B', tensor_parallel_size=1, kv_cache_dtype=auto\n"
        "a | INFO 04-22 00:46:50 [gpu_model_runner.py:4820] Model loading took 15.27 GiB memory\n"
        "b | INFO 04-22 00:46:50 [gpu_model_runner.py:4820] Model loading took 7.56 GiB memory\n";
    const Result<EngineLog> log = read_engine_log(text, "compose.log");
    REQUIRE_FALSE(log.has_value());
    CHECK(log.error().front().message.contains("'Qwen/Qwen3-8B' and 'Qwen/Qwen3-4B'"));
  }

  // 256 sequences and 2,048 tokens, the sizes of smaller devices: 256 x 128256 x (2 + 12) bytes and
  // a row for each of 132 multiprocessors are 0.49 GiB, so that 58.11 + 1.89 - 0.51 are left.
  TEST_CASE("other sizes of a step are named where the log leaves them open") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.max_num_seqs.reset();
    log.start.max_num_batched_tokens.reset();
    log.start.activation_gib.reset();
    log.start.graphs_gib.reset();
    log.start.compiles = false;
    log.start.pool_gib = 58.11 + 1.89 - 0.51;
    log.start.pool_tokens.reset();
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    const auto& pool = calibrated_term(calibration, "kvPool");
    CHECK(pool.is_off);
    REQUIRE_FALSE(pool.causes.empty());
    CHECK(pool.causes.front().contains("--max-num-seqs 256 --max-num-batched-tokens 2048"));
  }

  // The buffers of the compiler lie in the peak, which is printed as predicted.
  TEST_CASE("a pool that does not follow from printed terms is not put on the compiler") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.pool_gib = *log.start.pool_gib - 0.8;
    log.start.pool_tokens.reset();
    log.has_warm_cache = false;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    for (const std::string& cause : calibrated_term(calibration, "kvPool").causes)
      CHECK_FALSE(cause.contains("compile"));
  }
}
