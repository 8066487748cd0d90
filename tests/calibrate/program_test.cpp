// Notebooks whose cells make an engine: the arguments that it does not print stand in the program.
// Cells as in https://github.com/unslothai/notebooks and in vLLM's examples; figures as their
// engines printed them (0.7.3 and 0.10.0).
#include "calibrate/logs/program.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_lines.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/started_draft.hpp"

using namespace gpushape;
using namespace gpushape::calibrate;
using calibrate::logs::ProgramArguments;
using calibrate::logs::ProgramReader;

namespace {

ProgramArguments told_by(std::string_view program) {
  ProgramReader reader;
  for (std::string line; next_line(program, line);) reader.read(line);
  return reader.take();
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("what a program tells its engine is read from the call") {
    const ProgramArguments told = told_by(
        "lora_rank = 64  # Larger rank = smarter, but slower\n"
        "model, tokenizer = FastLanguageModel.from_pretrained(\n"
        "    model_name=\"Qwen/Qwen3-1.7B\",\n"
        "    max_lora_rank = lora_rank,\n"
        "    gpu_memory_utilization = 0.6, # Reduce if out of memory\n"
        ")\n"
        "max_num_seqs = 7\n");
    CHECK(told.adapter_rank == 64);
    CHECK(told.utilization == 0.6);
    CHECK_FALSE(told.max_num_seqs);
    const ProgramArguments engine = told_by(
        "llm = LLM(model=name(\"a\"), max_num_seqs=16,  # Maximum concurrent requests\n"
        "          max_num_batched_tokens=2048)");
    CHECK(engine.max_num_seqs == 16);
    CHECK(engine.max_num_batched_tokens == 2048);
  }

  TEST_CASE("what is no number of the engine's call tells nothing") {
    for (const char* program : {
             "x = NotLLM(max_num_seqs=16)",
             "LLM(\"m\")\nrun(max_num_seqs=16)",
             "LLM(\"m\", my_max_num_seqs=16)",
             "LLM(\"m\", max_num_seqs=count)",
             "count = 3\ncount = compute()\nLLM(\"m\", max_num_seqs=count)",
             "LLM(\"m\", max_num_seqs=0)",
             "LLM(\"m\", max_num_seqs=1e300)",
             "  llm = LLM(\nINFO 03-24 12:12:01 [config.py:1] tried\nmax_num_seqs=16",
             "LLM(\"m\", gpu_memory_utilization=90)",
         }) {
      CAPTURE(program);
      const ProgramArguments told = told_by(program);
      CHECK_FALSE(told.max_num_seqs);
      CHECK_FALSE(told.utilization);
    }
  }

  // Files list the keys of a cell by the alphabet: what it printed stands before its program.
  TEST_CASE("a cell's program is that of the engine in its outputs, and of no other") {
    const EngineLog log = example::read_lines(
        R"q({"cells": [{"cell_type": "code", "outputs": [{"name": "stdout", "text": [)q"
        R"q("INFO 03-24 12:12:01 [llm_engine.py:241] Initializing a V0 LLM engine (v0.7.3) with )q"
        R"q(config: model='lmsys/vicuna-7b-v1.3', tensor_parallel_size=1, max_seq_len=2048, \n", )q"
        R"q("INFO 03-24 12:12:51 [model_runner.py:1110] Model loading took 12.5523 GB and 0.51 )q"
        R"q(seconds\n", "INFO 03-24 12:13:01 [executor_base.py:111] # cuda blocks: 2915, # CPU )q"
        R"q(blocks: 512"]}], "source": ["llm = LLM(\n", "    model=\"lmsys/vicuna-7b-v1.3\",\n", )q"
        R"q("    max_num_seqs=16,\n", ")"]}, {"cell_type": "code", "outputs": [], "source": [)q"
        R"q("LLM(\"other\", max_num_seqs=99)"]}], "nbformat": 4})q");
    CHECK(log.start.max_num_seqs == 16);
    CHECK(log.start.weights_gib == doctest::Approx(12.5523));
  }

  // https://github.com/dhayanesh/spec-decoding-bench, 0.21.0: 63.22 GiB hold 1,035,776 tokens of 24
  // layers and the 8 of the draft, 2,048 bytes each: 65,536 a token.
  TEST_CASE("one table of blocks holds every token of layers with a window") {
    EngineLog log = example::read_lines(
        "(EngineCore pid=1) INFO 06-28 00:03:56 [core.py:109] Initializing a V1 LLM engine "
        "(v0.21.0) with config: model='openai/gpt-oss-20b', speculative_config=SpeculativeConfig("
        "method='dflash', model='z-lab/gpt-oss-20b-DFlash', num_spec_tokens=8), "
        "tokenizer='openai/gpt-oss-20b', max_seq_len=4096, tensor_parallel_size=1\n"
        "(EngineCore pid=1) INFO 06-28 00:04:02 [gpu_model_runner.py:4959] Model loading took "
        "15.39 GiB memory and 3.750132 seconds\n"
        "(EngineCore pid=1) WARNING 06-28 00:04:05 [kv_cache_utils.py:1334] Hybrid KV cache "
        "manager is disabled for this hybrid model, This means we do not enable any "
        "optimizations\n"
        "(EngineCore pid=1) INFO 06-28 00:04:07 [gpu_worker.py:462] Available KV cache memory: "
        "63.22 GiB\n"
        "(EngineCore pid=1) INFO 06-28 00:04:07 [kv_cache_utils.py:1710] GPU KV cache size: "
        "1,035,776 tokens\n");
    CHECK(log.start.keeps_one_table);
    const auto& catalog = example::built_in_catalog();
    find_draft(log.start, catalog, *catalog.find_name("openai/gpt-oss-20b"));
    const domain::Calibration calibration = example::without_gpu(log);
    REQUIRE(calibration.tokens);
    CHECK(calibration.tokens->printed == 1'035'776);
    CHECK(calibration.tokens->least <= 1'035'776);
    CHECK(calibration.tokens->most >= 1'035'776);
    CHECK(calibration.tokens->most - calibration.tokens->least < 1000);
  }

  // Of starts of gpt-oss-20b by 0.26.0 on a GPU that the log does not name
  // (https://github.com/chiatzenw-cur/lossy-spec-decode-repetition) and on GPUs that it does.
  TEST_CASE("kernels of one generation alone tell the compute capability") {
    const auto capability = [](const std::string& version) {
      return example::read_lines(
                 "(EngineCore pid=1) INFO 08-01 10:00:00 [flash_attn.py:670] Using FlashAttention "
                 "version " +
                 version +
                 "\n(EngineCore pid=1) INFO 08-01 10:00:09 [gpu_model_runner.py:4959] Model "
                 "loading took 13.03 GiB memory and 3.262702 seconds\n")
          .start.compute_capability;
    };
    CHECK(capability("3") == "9.0");
    CHECK(capability("2").empty());
  }
}
