// vLLM's start-up logs of three generations, written for these tests with the phrases and figures
// of published ones (https://github.com/llm-d-incubation/llm-d-planner/pull/205 and issue threads).
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/causes.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/prediction.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using calibrate::read_engine_log;
using example::calibrated;
using example::calibrated_term;
using example::recorded_log;

TEST_SUITE("calibrate") {
  TEST_CASE("a log of the newest layout says model, flags, version and every term") {
    const EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    CHECK(log.start.engine == "vllm");
    CHECK(log.start.engine_version == "0.19.0");
    CHECK(log.start.model == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(log.start.dtype == "bfloat16");
    CHECK(log.start.context_tokens == 8192);
    CHECK(log.start.max_num_seqs == 1024);
    CHECK(log.start.max_num_batched_tokens == 8192);
    CHECK(log.start.utilization == 0.95);
    CHECK_FALSE(log.start.enforce_eager);
    CHECK_FALSE(log.start.is_library);
    CHECK(log.start.weights_gib == 14.99);
    CHECK(log.start.activation_gib == 1.89);
    CHECK(log.start.non_torch_gib == 0.25);
    CHECK(log.start.graphs_gib == 0.91);
    CHECK(log.start.pool_gib == 58.11);
    CHECK(log.start.gpu_total_gib == 79.19);
    CHECK(log.start.pool_tokens == 476016);
    CHECK(log.graph_estimate_gib == 0.82);
    CHECK(log.start.samples_with_flashinfer == false);
    REQUIRE(log.ranks.size() == 1);
    CHECK(log.ranks.front().free_gib == 78.68);
  }

  TEST_CASE("a log of the first generation says the same in its own words, for two ranks") {
    const EngineLog log = recorded_log("vllm-0.6-two-ranks.log");
    CHECK(log.start.engine_version == "0.6.6.post1");
    CHECK(log.start.model == "Qwen/Qwen2.5-1.5B-Instruct");
    CHECK(log.start.tensor_parallel == 2);
    CHECK(log.start.max_num_seqs == 256);
    CHECK(log.start.utilization == 0.9);
    CHECK(log.start.pool_blocks == 171797);  // of 16 tokens, 14,336 B each: 36.70 GiB
    CHECK(log.start.gpu_total_gib == 44.52);
    REQUIRE(log.ranks.size() == 2);
    // The rank that has least left stands for the start.
    CHECK(log.start.pool_gib == 36.70);
    CHECK(log.start.non_torch_gib == 0.52);
    CHECK(log.start.graphs_gib == 0.21);
  }

  TEST_CASE("a start as predicted is said to be one, and its tokens are counted") {
    const domain::Calibration calibration =
        calibrated(recorded_log("vllm-0.19-llama-8b.log"), "h100-sxm-80");
    CHECK(calibration.agrees());
    CHECK(calibration.terms.size() == 5);
    CHECK(calibration.verdict.contains("every measured figure"));
    REQUIRE(calibration.tokens);
    CHECK(calibration.tokens->least <= 476016);
    CHECK(calibration.tokens->most >= 476016);
    CHECK(calibration.asks.empty());
    CHECK(calibration.measurement.terms.size() == 4);
    CHECK(calibration.measurement.model == "meta-llama/Llama-3.1-8B-Instruct");
  }

  TEST_CASE("what a log does not say is asked for") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.utilization.reset();
    const auto catalog = catalog::Catalog::open();
    const calibrate::Surroundings surroundings{.model = *catalog->find(log.start.model),
                                               .engine = *catalog->engine("vllm"),
                                               .gpu = std::nullopt};
    const auto calibration = calibrate::calibrate(log, surroundings);
    REQUIRE(calibration.has_value());
    REQUIRE(calibration->asks.size() == 2);
    CHECK(calibration->asks[0].contains("--gpu"));
    CHECK(calibration->asks[1].contains("--gpu-memory-utilization"));
    log.start.engine_version.clear();
    const auto refused = calibrate::calibrate(log, surroundings);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().front().help.contains("--engine-version"));
  }

  TEST_CASE("a rank is told by its process in round and in square brackets") {
    const auto log = read_engine_log(
        "INFO 11-20 10:00:00 [api_server.py:1] vLLM API server version 0.11.2\n"
        "[Worker_TP0 pid=71] INFO 11-20 10:00:09 [gpu_model_runner.py:1] Model loading took 7.12 "
        "GiB memory and 4 seconds\n"
        "[Worker_TP1 pid=72] INFO 11-20 10:00:09 [gpu_model_runner.py:1] Model loading took 7.14 "
        "GiB memory and 4 seconds\n",
        "brackets.log");
    REQUIRE(log);
    REQUIRE(log->ranks.size() == 2);
    CHECK(log->ranks[0].weights_gib == 7.12);
    CHECK(log->ranks[1].weights_gib == 7.14);
  }

  TEST_CASE("of Ray's process and the worker's in a row, the worker's is the one meant") {
    CHECK(calibrate::process_of("(EngineCore_0 pid=18) (RayWorkerWrapper pid=21, ip=10.0.0.2) INFO "
                                "09-04 Model loading took 17.2 GiB") ==
          "RayWorkerWrapper pid=21, ip=10.0.0.2");
    CHECK(calibrate::process_of("(Worker pid=8) INFO spawned [child pid=9]") == "Worker pid=8");
    CHECK(calibrate::process_of("[Worker_TP3 pid=77] INFO") == "Worker_TP3 pid=77");
    CHECK(calibrate::process_of("INFO a pid=5 without brackets").empty());
  }

  // Ray prints a line that every worker writes once:
  // https://github.com/dennislee22/vLLM-benchmarking
  TEST_CASE("a figure that the fullest rank does not print is that of another") {
    const auto log = read_engine_log(
        "(EngineCore_0 pid=18) (RayWorkerWrapper pid=21) INFO 09-04 [gpu_model_runner.py:1] Model "
        "loading took 17.22 GiB and 4 seconds\n"
        "(EngineCore_0 pid=18) (RayWorkerWrapper pid=22, ip=10.0.0.2) INFO 09-04 "
        "[gpu_model_runner.py:1] Model loading took 17.20 GiB and 4 seconds\n"
        "(EngineCore_0 pid=18) (RayWorkerWrapper pid=22, ip=10.0.0.2) INFO 09-04 "
        "[gpu_model_runner.py:1] Graph capturing finished in 101 secs, took 1.88 GiB\n",
        "ray.log");
    REQUIRE(log);
    CHECK(log->ranks.size() == 2);
    CHECK(log->start.weights_gib == 17.22);
    CHECK(log->start.graphs_gib == 1.88);
  }

  // Versions before 0.9 print all arguments: the rank is a default where adapters are not enabled.
  TEST_CASE("adapters that are not enabled have no rank") {
    for (const bool is_enabled : {false, true}) {
      CAPTURE(is_enabled);
      const auto log = read_engine_log(
          std::string(
              "INFO 04-05 api_server.py:713] args: Namespace(model='Qwen/Qwen2-7B-Instruct', "
              "enable_lora=") +
              (is_enabled ? "True" : "False") +
              ", max_loras=1, max_lora_rank=16)\nINFO 04-05 [model_runner.py:1] Loading model "
              "weights took 14.2488 GB\n",
          "adapters.log");
      REQUIRE(log);
      CHECK(log->start.has_adapters == is_enabled);
      CHECK(log->start.adapter_rank.has_value() == is_enabled);
    }
  }

  // 0.8.3 prints tokens alone. Hand arithmetic: 28 layers x 2 x 4 heads x 128 x 2 B = 57,344 B a
  // token, so that 93,872 tokens take 5.0133 GiB.
  TEST_CASE("a pool of which only the tokens are printed is measured by them") {
    const auto log = read_engine_log(
        "INFO 09-04 01:02:54 [core.py:74] Initializing a V1 LLM engine (v0.8.3) with config: "
        "model='Qwen/Qwen2-7B-Instruct', dtype=torch.bfloat16, max_seq_len=16384, "
        "tensor_parallel_size=1, kv_cache_dtype=auto\n"
        "INFO 09-04 01:03:03 [gpu_model_runner.py:2007] Model loading took 14.2488 GiB and 4.4 "
        "seconds\n"
        "INFO 09-04 01:04:29 [kv_cache_utils.py:849] GPU KV cache size: 93,872 tokens\n",
        "tokens.log");
    REQUIRE(log);
    const domain::Calibration calibration = calibrated(*log, "a100-sxm4-80");
    CHECK(calibrated_term(calibration, "kvPool").measured->expected.gib() ==
          doctest::Approx(5.0133).epsilon(0.001));
  }

  // https://github.com/dennislee22/vLLM-benchmarking, log/: copied out of a terminal.
  TEST_CASE("settings that a terminal wrapped are read past the ends of their lines") {
    const auto log = read_engine_log(
        "(APIServer pid=1671) INFO 09-04 01:02:21 [api_server.py:1805] vLLM API server version "
        "0.10.1.1\n"
        "(APIServer pid=1671) INFO 09-04 01:02:21 [utils.py:326] non-default args: {'model_tag': "
        "'Qwen2-7B-Instruct', 'model': 'Qwe\n"
        "n2-7B-Instruct', 'max_model_len': 16384, 'tensor_parallel_size': 2, "
        "'gpu_memory_utilization': 0.25}\n"
        "(EngineCore_0 pid=1812) INFO 09-04 01:02:54 [core.py:74] Initializing a V1 LLM engine "
        "(v0.10.1.1) with config: model='Qwen2-7B-Instruct'\n"
        ", dtype=torch.bfloat16, max_seq_len=16384, tensor_parallel_si\n"
        "ze=2, pipeline_parallel_size=1, enforce_eager=False, kv_cache_dtype=auto\n"
        "(Worker_TP0 pid=1900) INFO 09-04 01:03:03 [gpu_model_runner.py:2007] Model loading took "
        "7.1217 GiB and 4.422213 seconds\n",
        "wrapped.log");
    REQUIRE(log);
    CHECK(log->start.model == "Qwen2-7B-Instruct");
    CHECK(log->start.tensor_parallel == 2);
    CHECK(log->start.utilization == 0.25);
    CHECK(log->start.weights_gib == 7.1217);
  }

  // Arguments of published starts with Qwen3.6-27B-FP8 and Qwen3-VL-Embedding-2B.
  TEST_CASE("a start for text alone is told by its arguments") {
    struct Row {
      const char* argument;
      bool is_text_alone;
    };
    for (const Row& row : {
             Row{"'language_model_only': True", true},
             Row{"'limit_mm_per_prompt': {'image': 0, 'video': 0}", true},
             Row{"'limit_mm_per_prompt': {'image': 0, 'audio': 0}", false},
             Row{"'limit_mm_per_prompt': {'image': 2, 'video': 0}", false},
             Row{"'max_num_seqs': 8", false},
             // A server without a processor of its own for the model; 0.27.1 goes on to profile one
             // image (https://github.com/Murai-Labs/qwen3.8-27b-rtx5090).
             Row{"'max_num_seqs': 8}\nWARNING 08-18 23:14:16 [registry.py:117] Model "
                 "/models/Qwen3.8-27B-NVFP4 is treated as multimodal but has no registered "
                 "multimodal processor; running in text-only mode.\n{",
                 false},
             Row{"'max_num_seqs': 8}\nINFO 06-15 05:00:41 [registry.py:126] All limits of "
                 "multimodal modalities supported by the model are set to 0, running in text-only "
                 "mode.\n{",
                 true},
         }) {
      CAPTURE(row.argument);
      const auto log = read_engine_log(
          std::string("INFO 08-14 07:55:43 [api_utils.py:273] non-default args: {'model': "
                      "'Qwen/Qwen3.6-27B-FP8', ") +
              row.argument +
              "}\nINFO 08-14 07:59:25 [gpu_model_runner.py:5347] Model loading took 27.64 GiB "
              "memory and 197 seconds\n",
          "text.log");
      REQUIRE(log);
      const bool is_text_alone = log->start.takes_no_images && log->start.takes_no_videos;
      CHECK(is_text_alone == row.is_text_alone);
    }
  }

  // Qwen3-8B by 0.20.0 (https://github.com/dcstang/eagle3-spec-dec) keeps four hidden states of
  // each token: 52.48 GiB hold 312,640 tokens, 180,224 bytes each, of which keys and values are
  // 147,456.
  TEST_CASE("hidden states that are written out stand in the cache, which is not counted then") {
    const auto log = read_engine_log(
        "(EngineCore pid=3280) INFO 06-27 16:02:47 [core.py:109] Initializing a V1 LLM engine "
        "(v0.20.0) with config: model='Qwen/Qwen3-8B', speculative_config=SpeculativeConfig("
        "method='extract_hidden_states', model=None, num_spec_tokens=1), tokenizer='Qwen/Qwen3-8B'"
        "\nINFO 06-27 16:03:29 [gpu_model_runner.py:4879] Model loading took 15.27 GiB memory\n",
        "states.log");
    REQUIRE(log);
    CHECK(has_unknown_drafts(*log));
  }

  // A published start of 0.31.0: 15.26 GiB are weights of 15.0 and what is outside the framework.
  TEST_CASE("weights and what is outside the framework are told apart where they are one figure") {
    const auto log = read_engine_log(
        "(EngineCore pid=326) INFO 10-06 17:00:11 [model_runner.py:407] Model loading took 15.0 "
        "GiB "
        "memory and 5.420225 seconds\n"
        "(EngineCore pid=326) INFO 10-06 17:00:41 [gpu_worker.py:955] Free memory on device "
        "(78.84/79.25 GiB) on startup. Desired GPU memory utilization is (0.92, 72.91 GiB). Actual "
        "usage is 15.26 GiB for consumed memory (weights + non-torch), 1.44 GiB for peak "
        "activation, and 0.23 GiB for CUDAGraph memory.\n",
        "consumed.log");
    REQUIRE(log);
    CHECK(log->start.weights_gib == 15.0);
    CHECK(log->start.non_torch_gib == doctest::Approx(0.26));
    CHECK(log->start.activation_gib == 1.44);
    CHECK(log->start.graphs_gib == 0.23);
  }

  // 411 M of the tower's values in layers and 123 M in mergers, of which four ranks hold a quarter.
  TEST_CASE("ranks that share images have the encoder whole") {
    const auto weights_of = [](const std::string& mode) {
      const auto log = read_engine_log(
          "INFO [utils.py:233] non-default args: {'model': 'Qwen/Qwen3-VL-30B-A3B-Instruct', "
          "'tensor_parallel_size': 4" +
              mode + "}\n" +
              "INFO [core.py:109] Initializing a V1 LLM engine (v0.19.0) with config: "
              "model='Qwen/Qwen3-VL-30B-A3B-Instruct', tensor_parallel_size=4\n"
              "INFO Model loading took 14.77 GiB memory and 25.1 seconds\n",
          "towers.log");
      REQUIRE(log.has_value());
      const auto catalog = catalog::Catalog::open();
      const auto calibration =
          calibrate::calibrate(*log, {.model = *catalog->find(log->start.model),
                                      .engine = *catalog->engine("vllm"),
                                      .gpu = std::nullopt,
                                      .model_from = {},
                                      .gpu_from = {}});
      REQUIRE(calibration.has_value());
      return calibrated_term(*calibration, "weights").predicted.expected.gib();
    };
    const double values =
        27 * (4 * 1152.0 * 1152 + 2 * 1152 * 4304) + 4 * (4608.0 * 4608 + 4608 * 2048);
    CHECK(weights_of(", 'mm_encoder_tp_mode': 'data'") - weights_of("") ==
          doctest::Approx(values * 2 * 3 / 4 / (1 << 30)).epsilon(0.01));
  }

  // Lines of https://github.com/fpolica91/triton-example vllm.log.
  TEST_CASE("a log of ROCm says that the GPU is AMD's") {
    const auto log = read_engine_log(
        "INFO Initializing a V1 LLM engine (v0.16.0) with config: model='zai-org/GLM-5-FP8', "
        "dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=8\n"
        "(Worker_TP0 pid=54562) INFO 03-10 20:09:32 [rocm.py:286] Using Sparse MLA backend.\n"
        "(Worker_TP0 pid=54562) INFO Model loading took 91.36 GiB memory and 136.0 seconds\n",
        "rocm.log");
    REQUIRE(log.has_value());
    CHECK(log->start.vendor == "amd");
    const auto catalog = catalog::Catalog::open();
    const auto calibration =
        calibrate::calibrate(*log, {.model = *catalog->find("zai-org/GLM-5-FP8"),
                                    .engine = *catalog->engine("vllm"),
                                    .gpu = std::nullopt,
                                    .model_from = {},
                                    .gpu_from = {}});
    REQUIRE(calibration.has_value());
    const domain::Range& weights = calibrated_term(*calibration, "weights").predicted;
    CHECK(weights.low.gib() < 91.36);
    CHECK(weights.high.gib() > 91.36);
  }

  TEST_CASE("text that is no log of an engine is refused") {
    CHECK_FALSE(read_engine_log("", "empty.log").has_value());
    const auto other = read_engine_log("hello\nworld\n", "other.log");
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().front().help.contains("vllm"));
    const auto cut = read_engine_log("INFO vLLM API server version 0.19.0\n", "cut.log");
    REQUIRE_FALSE(cut.has_value());
    CHECK(cut.error().front().message.contains("without a figure"));
  }

  TEST_CASE("no bytes bring a reader down") {
    const std::string start =
        "(EngineCore pid=1) INFO Initializing a V1 LLM engine (v0.19.0) with "
        "config: model='a/b', tensor_parallel_size=";
    rc::check("any tail after a recognised head", [&](const std::string& tail) {
      static_cast<void>(read_engine_log(
          start + tail + "\nAvailable KV cache memory: " + tail + "\nGPU KV cache size: " + tail,
          "any.log"));
    });
    const std::string endless(1U << 20U, 'x');
    CHECK_FALSE(read_engine_log(endless, "endless.log").has_value());
  }

  TEST_CASE("figures and values are found behind their words") {
    using calibrate::leading_count;
    using calibrate::leading_gib;
    using calibrate::value_of_key;
    CHECK(leading_gib("14.99 GiB memory") == 14.99);
    CHECK(leading_gib("21.21GiB;") == 21.21);
    CHECK(leading_gib("512.00 MiB first") == 0.5);
    CHECK(leading_count("1,277,184 tokens") == 1277184);
    CHECK_FALSE(leading_count("tokens").has_value());
    CHECK_FALSE(leading_count("99999999999999999999").has_value());
    CHECK(value_of_key("served_model_name=x, model='a/b', tp=2", "model") == "a/b");
    CHECK(value_of_key("{'max_num_seqs': 256, 'model': 'a'}", "max_num_seqs") == "256");
    CHECK_FALSE(value_of_key("model_tag=1", "model").has_value());
    std::string_view coloured = "\x1b[0;36m(EngineCore pid=3)\x1b[0;0m INFO\r\nnext";
    std::string line;
    REQUIRE(calibrate::next_line(coloured, line));
    CHECK(line == "(EngineCore pid=3) INFO");
    CHECK(calibrate::process_of(line) == "EngineCore pid=3");
  }

  // "Using V2 Model Runner" as gpu_worker.py of 0.26 and 0.27 logs it; files of the first runner's
  // lines are gpu_model_runner.py.
  TEST_CASE("a log says which of the two model runners it is of") {
    const std::string log = example::log_text("examples/logs/vllm-0.19-llama-8b.log");
    const auto with = [&](const std::string& line) {
      return read_engine_log(line + "\n" + log, "with.log")->start.has_second_runner;
    };
    CHECK(with("INFO [gpu_worker.py:385] Using V2 Model Runner") == true);
    CHECK(with("INFO [gpu_model_runner.py:4820] Model loading took 14.99 GiB memory") == false);
  }

  TEST_CASE("every reader and every cause says what it is") {
    for (const auto& row : calibrate::log_readers()) CHECK_FALSE(row.description.empty());
    for (const auto& row : calibrate::causes()) CHECK_FALSE(row.description.empty());
  }
}
