// How large a step was that no setting states: told by what the compiler and the graphs print, and
// by what the engine takes by itself. The figures are those of public logs.
#include "calibrate/logs/vllm_step.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "calibrate/engine_log.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using calibrate::EngineStart;
using calibrate::read_engine_log;

namespace {

/// A start of that release with those lines behind its settings, and its weights.
EngineStart start_of(const std::string& release, const std::string& lines,
                     const std::string& drafts = "None") {
  const std::string text = "INFO 08-13 11:32:08 [core.py:121] Initializing a V1 LLM engine (v" +
                           release +
                           ") with config: model='Qwen/Qwen3.6-27B', speculative_config=" + drafts +
                           ", dtype=torch.bfloat16, max_seq_len=65536, tensor_parallel_size=2, "
                           "quantization=None, enforce_eager=False, kv_cache_dtype=auto\n" +
                           lines +
                           "INFO 08-13 11:34:43 [gpu_model_runner.py:5405] Model loading took "
                           "25.69 GiB memory and 65.362530 seconds\n";
  const Result<EngineLog> log = read_engine_log(text, "start.log");
  REQUIRE(log.has_value());
  return log->start;
}

const std::string kServer = "INFO 08-13 [api_server.py:1] vLLM API server version 0.27.1\n";
std::string chunks_of(int tokens) {
  return "INFO 08-13 [scheduler.py:230] Chunked prefill is enabled with max_num_batched_tokens=" +
         std::to_string(tokens) + ".\n";
}
std::string asked_for(const std::string& settings) {
  return "INFO 08-13 [utils.py:253] non-default args: {'model': 'm', " + settings + "}\n";
}

}  // namespace

TEST_SUITE("calibrate") {
  // Qwen3.6-27B by 0.27.1 on two cards of 79.25 GiB peaks at 1.36 GiB, as 256 sequences and 2,048
  // tokens do: https://github.com/souspilot/DiscoverPhysicsWIP.
  TEST_CASE("ranges that are compiled and graphs that are captured tell the step") {
    const EngineStart start = start_of(
        "0.27.1",
        "INFO [backends.py:393] Compiling a graph for compile range (1, 2048) takes 88.38 s\n"
        "INFO [gpu_model_runner.py:6681] Profiling CUDA graph memory: PIECEWISE=51 (largest=512), "
        "FULL=35 (largest=256)\n");
    CHECK(start.max_num_batched_tokens == 2048);
    CHECK(start.max_num_seqs == 256);
  }

  // https://github.com/Huzifa1/vllm-profiling, experiments on H100 NVL, L40S and A100: engines of a
  // program's own, whose peaks are those of 128 sequences (DeepSeek-V2-Lite 0.50 GiB, 0.97 with
  // 256; Qwen1.5-4B 0.71, 1.40 with 256).
  TEST_CASE("a program with an engine of its own has the scheduler's sequences") {
    CHECK(start_of("0.10.1.1", chunks_of(2048)).max_num_seqs == 128);
    CHECK(start_of("0.10.1.1", kServer + chunks_of(2048)).max_num_seqs == 256);
    // Lines of the engine alone may be those of a server that is cut off.
    CHECK(start_of(
              "0.27.1",
              "INFO [backends.py:393] Compiling a graph for compile range (1, 2048) takes 88 s\n")
              .max_num_seqs == 256);
    CHECK(start_of("0.10.1.1", asked_for("'max_num_batched_tokens': 2048") + chunks_of(2048))
              .max_num_seqs != 128);
  }

  TEST_CASE("the settings' own list of ranges stands before their lines") {
    const EngineStart start = start_of(
        "0.19.0",
        "DEBUG config: 'compile_ranges_endpoints': [512, 8192], 'max_cudagraph_capture_size': 512\n"
        "INFO [backends.py:393] Compiling a graph for compile range (1, 512) takes 8 s\n");
    CHECK(start.max_num_batched_tokens == 8192);
  }

  // Graphs of drafts hold several tokens a sequence; the largest of all bounds no sequences.
  TEST_CASE("graphs tell no sequences where they are of drafts, or as large as any") {
    const std::string graphs =
        "INFO [gpu_model_runner.py:6681] Profiling CUDA graph memory: PIECEWISE=51 (largest=512), "
        "FULL=35 (largest=";
    CHECK_FALSE(start_of("0.27.1", graphs + "256)\n", "SpeculativeConfig(method='mtp')")
                    .max_num_seqs.has_value());
    CHECK_FALSE(start_of("0.27.1", graphs + "512)\n").max_num_seqs.has_value());
  }

  // vLLM engine/arg_utils.py, get_batch_defaults. Llama-2-7B by 0.10.2 on 79.25 GiB, an A100, takes
  // 2,048 tokens and peaks at 0.32 GiB: https://github.com/benyucong/neo4j-graphrag-python.
  TEST_CASE("tokens that the engine takes by itself bring their sequences") {
    CHECK(start_of("0.10.2", kServer + chunks_of(2048)).max_num_seqs == 256);
    CHECK(start_of("0.10.2", kServer + chunks_of(8192)).max_num_seqs == 1024);
    CHECK(start_of("0.10.2", chunks_of(16384)).max_num_seqs == 1024);
    // A program on a smaller GPU, or a server on a larger one.
    CHECK_FALSE(start_of("0.10.2", chunks_of(8192)).max_num_seqs.has_value());
    CHECK(start_of("0.10.2",
                   "DEBUG Defaulting max_num_batched_tokens to 8192 for LLM_CLASS usage context.\n")
              .max_num_seqs == 256);
  }

  // Qwen3.5-4B by 0.22 prints the share it was given nowhere else.
  TEST_CASE("what graphs cost is printed with the share of the memory") {
    CHECK(start_of("0.22.1",
                   "INFO [gpu_worker.py:481] CUDA graph memory profiling is enabled (default since "
                   "v0.21.0). The current --gpu-memory-utilization=0.5000 is equivalent to "
                   "--gpu-memory-utilization=0.4855 without CUDA graph memory profiling.\n")
              .utilization == 0.5);
    CHECK(start_of("0.18.0",
                   "INFO [gpu_worker.py:470] To try it now, set "
                   "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=1 and increase "
                   "--gpu-memory-utilization from 0.8000 to 0.8136 to maintain the same\n")
              .utilization == 0.8);
    CHECK_FALSE(start_of("0.22.1", "").utilization.has_value());
  }

  TEST_CASE("what was asked for brings nothing") {
    CHECK_FALSE(start_of("0.10.2", asked_for("'max_num_batched_tokens': 2048") + chunks_of(2048))
                    .max_num_seqs.has_value());
    CHECK(start_of("0.10.2", asked_for("'max_num_seqs': 16") + chunks_of(2048)).max_num_seqs == 16);
    // Before, sequences did not go by the device.
    CHECK_FALSE(start_of("0.7.3", chunks_of(2048)).max_num_seqs.has_value());
  }
}
